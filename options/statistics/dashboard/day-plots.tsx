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

/** Plays of the last 24 hours; nothing if there are none. */
export function HourPlot({ statistics }: { statistics: Statistics }) {
  const hours = useMemo(() => playedHours(statistics), [statistics]);
  const played = hours.filter(({ plays }) => plays > 0);
  const content = useMemo(
    () => ({
      x: hours.map((hour) => hour.number),
      series: [{ label: "All plays", look: "full bars" as const, values: hours.map(({ plays }) => plays) }],
      ...{ xAxis: byHour, yAxis: counts },
    }),
    [hours],
  );
  if (played.length === 0) return null;
  const inWords = played.map((hour) => `${byHour.format(hour.number)}: ${number(hour.plays)}`).join("; ");
  return (
    <Plot title="Plays in the last 24 hours" label={`Plays by hour, by its beginning. ${inWords}.`} content={content}>
      <p class="hint">In your time zone. Those of the last hour or two come later.</p>
    </Plot>
  );
}

/** Plays and traffic by day, with the releases marked. */
export function DayPlots({ days }: { days: readonly PlayedDay[] }) {
  const plots = useMemo(() => plotsOf(days), [days]);
  return (
    <div class="grid even">
      {plots.map((plot) => (
        <Plot key={plot.title} {...plot} />
      ))}
    </div>
  );
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
  const sent: PlotSeries[] = [{ label: "Sent", look: "full bars", values: days.map((day) => day.bytes) }];
  const shared = { x, marks, xAxis: byDay };
  return [
    { title: "Plays by day", label: `Plays by day ${span}`, content: { ...shared, series: plays, yAxis: counts } },
    { title: "Traffic by day", label: `Bytes sent by day ${span}`, content: { ...shared, series: sent, yAxis: sizes } },
  ];
}
