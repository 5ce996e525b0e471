import { useMemo } from "preact/hooks";
import { bytesInWords, number } from "../../../dashboard/src/format.ts";
import { Table } from "../../../dashboard/src/parts/table.tsx";
import { Plot } from "../../../dashboard/src/plots/plot.tsx";
import type { PlotAxis, PlotContent, PlotMark, PlotSeries } from "../../../dashboard/src/plots/plot-content.ts";
import { type Analysis, lineOf, linesOf, scriptName, scriptOf } from "./analysis.ts";
import { binInWords, binMilliseconds, binOf, histogramOf } from "./histogram.ts";

const byTime: PlotAxis = { format: (value) => `${number(value, 1)} s` };
const frameTimes: PlotAxis = { format: (value) => `${number(value, 1)} ms` };
const bins: PlotAxis = { format: (bin) => `${number(bin * binMilliseconds)} ms`, steps: [5, 10, 25] };
const counts: PlotAxis = { format: (value) => number(value) };
const sizes: PlotAxis = { format: bytesInWords };

/** A profile with what it is called beside another one. */
export interface NamedAnalysis {
  readonly analysis: Analysis;
  readonly name: string;
}

/** Frame times over time with the hitches marked and named, beside those of another profile if there is one. */
export function FramePlot({ of, other }: { of: NamedAnalysis; other: NamedAnalysis | undefined }) {
  const content = useMemo(
    () => (other ? comparedPlot(of, other) : timePlot(of.analysis)),
    [of.analysis, other?.analysis],
  );
  const beside = other ? `, beside those of ${other.name}` : "";
  return (
    <Plot
      title="Frame times"
      label={`Frame times over time${beside}. The longest of ${number(of.analysis.frames.length)} frames are in the table of hitches.`}
      content={content}
    />
  );
}

function comparedPlot(of: NamedAnalysis, other: NamedAnalysis): PlotContent {
  const { x, values } = linesOf([of.analysis.frames, other.analysis.frames]);
  const series: PlotSeries[] = [
    { label: other.name, look: "dashed line", values: values[1] ?? [] },
    { label: of.name, look: "line", values: values[0] ?? [] },
  ];
  return { x, series, xAxis: byTime, yAxis: frameTimes };
}

/** Numbers of frames by their length. */
export function FrameHistogram({ analysis }: { analysis: Analysis }) {
  const histogram = useMemo(() => histogramPlot(analysis), [analysis]);
  return (
    <Plot
      title="How many frames took how long"
      label="How many frames took how long. The numbers are in the table below."
      content={histogram}
    >
      <details class="fold">
        <summary>As a table</summary>
        <Table
          label="How many frames took how long"
          columns={["Took", "Frames"]}
          rows={histogramOf(analysis.frames).flatMap((count, bin) =>
            count > 0 ? [[binInWords(bin), number(count)]] : [],
          )}
        />
      </details>
    </Plot>
  );
}

/** Long frames that are marked, the longest ones. */
const marked = 20;
const markCharacters = 24;

function timePlot({ frames, longFrames, marks }: Analysis): PlotContent {
  const { x, values } = lineOf(frames);
  const named = longFrames.slice(0, marked).map((frame) => {
    const script = scriptOf(frame);
    const text = script ? scriptName(script) : `${number(frame.duration)} ms`;
    return { at: frame.at / 1_000, text: text.slice(0, markCharacters) };
  });
  const ownMarks = marks
    .slice(0, marked)
    .map(({ at, name }) => ({ at: at / 1_000, text: name.slice(0, markCharacters) }));
  const all: PlotMark[] = [...named, ...ownMarks].sort((a, b) => a.at - b.at);
  const series: PlotSeries[] = [{ label: "Frame time", look: "line", values }];
  return { x, series, marks: all, xAxis: byTime, yAxis: frameTimes };
}

function histogramPlot({ frames: all, summary }: Analysis): PlotContent {
  const frames = histogramOf(all);
  const percentiles = summary
    ? ([
        ["p50", summary.p50],
        ["p95", summary.p95],
        ["p99", summary.p99],
      ] as const)
    : [];
  const marks: PlotMark[] = percentiles.map(([text, value]) => ({ at: binOf(value), text }));
  const series: PlotSeries[] = [{ label: "Frames", look: "full bars", values: frames }];
  return { x: frames.map((_, bin) => bin), series, marks, xAxis: bins, yAxis: counts };
}

/** Memory over time, if the browser tells it: of isolated pages alone. */
export function MemoryPlot({ analysis: { memory } }: { analysis: Analysis }) {
  const content = useMemo(() => {
    const series: PlotSeries[] = [{ label: "Memory", look: "line", values: memory.map(({ bytes }) => bytes) }];
    return { x: memory.map(({ at }) => at / 1_000), series, xAxis: byTime, yAxis: sizes };
  }, [memory]);
  const last = memory.at(-1);
  if (last === undefined) return null;
  return <Plot title="Memory" label={`Memory over time, ${bytesInWords(last.bytes)} at last.`} content={content} />;
}
