import { useMemo } from "preact/hooks";
import { bytesInWords, dayInWords, hourInWords, number } from "../../../dashboard/src/format.ts";
import { Plot } from "../../../dashboard/src/plots/plot.tsx";
import type { PlotAxis, PlotSeries } from "../../../dashboard/src/plots/plot-content.ts";
import { hourMilliseconds, type PlayedDay, playedHours, releaseMarks } from "./days.ts";
import type { Statistics } from "./resources.ts";

const byDay: PlotAxis = { format: dayInWords, steps: [1, 2, 7, 14, 28] };

/** 1, 2, 5, 10 … and the same in larger units. */
const stepsOf = (units: readonly number[], factors: readonly number[]) =>
  units.flatMap((unit) => factors.map((factor) => factor * unit));
const counts: PlotAxis = {
  format: (value) => number(value),
  steps: stepsOf([1, 1e3, 1e6, 1e9], [1, 2, 5, 10, 20, 50, 100, 200, 500]),
};
const sizes: PlotAxis = {
  format: bytesInWords,
  steps: stepsOf([1, 2 ** 10, 2 ** 20, 2 ** 30, 2 ** 40], [1, 2, 5, 10, 20, 50, 100, 200, 500]),
};

const byHour: PlotAxis = { format: (hour) => hourInWords(hour * hourMilliseconds), steps: [1, 3, 6, 12, 24] };

/** How often the game was played and how much players loaded, by day with the releases marked; of the shortest span plays are by hour. */
export function PlayPlots({ statistics, days, isByHour }: PlayPlotsProps) {
  const plots = useMemo(() => plotsOf(days), [days]);
  const byHours = useMemo(() => hoursPlot(statistics), [statistics]);
  const [plays, traffic] = plots;
  return (
    <div class="grid even">
      {isByHour ? (
        <Plot {...byHours}>
          <p class="hint">By hour, in your time zone. Those of the last hour or two come later.</p>
        </Plot>
      ) : (
        <Plot {...plays} />
      )}
      <Plot {...traffic} />
    </div>
  );
}

interface PlayPlotsProps {
  readonly statistics: Statistics;
  readonly days: readonly PlayedDay[];
  readonly isByHour: boolean;
}

const playsTitle = "How often was it played?";

function hoursPlot(statistics: Statistics) {
  const hours = playedHours(statistics);
  const played = hours.filter(({ plays }) => plays > 0);
  const inWords = played.map((hour) => `${byHour.format(hour.number)}: ${number(hour.plays)}`).join("; ");
  return {
    title: playsTitle,
    label: `Plays by hour, by its beginning. ${inWords || "None"}.`,
    content: {
      x: hours.map((hour) => hour.number),
      series: [{ label: "All plays", look: "full bars" as const, values: hours.map(({ plays }) => plays) }],
      ...{ xAxis: byHour, yAxis: counts },
    },
  };
}

function plotsOf(days: readonly PlayedDay[]) {
  const x = days.map((day) => day.number);
  const marks = releaseMarks(days);
  const firstVisits = marks.map(({ at, text }) => `${text} on ${dayInWords(Math.ceil(at))}`);
  const span = [
    `from ${dayInWords(x[0] ?? 0)} to ${dayInWords(x.at(-1) ?? 0)}.`,
    ...(firstVisits.length > 0 ? [`First visits of releases: ${firstVisits.join("; ")}.`] : []),
    "The numbers are in the table below.",
  ].join(" ");
  const plays: PlotSeries[] = [
    { label: "All plays", look: "hatched bars", values: days.map((day) => day.plays) },
    { label: "First plays", look: "full bars", values: days.map((day) => day.firstPlays) },
  ];
  const series: PlotSeries[] = [{ label: "Sent", look: "full bars", values: days.map((day) => day.bytes) }];
  const shared = { x, marks, xAxis: byDay };
  return [
    { title: playsTitle, label: `Plays by day ${span}`, content: { ...shared, series: plays, yAxis: counts } },
    {
      title: "How much did players load?",
      label: `Bytes sent by day ${span}`,
      content: { ...shared, series, yAxis: sizes },
    },
  ] as const;
}
