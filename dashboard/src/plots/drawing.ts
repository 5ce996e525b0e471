import uPlot from "uplot";

import type { PlotAxis, PlotContent, PlotMark, PlotSeries } from "./plot-content.ts";

/*
 * Drawing of a plot: its colours, scales, axes, series and marks, as uPlot takes them. Loaded when there is a plot to draw, so it imports
 * nothing that the first view has: that would be cut in two.
 */

/** CSS pixels; style.css has them too. */
const height = 220;

/**
 * Draws in an element, as wide as it is, also when its width changes.
 *
 * @param onIndex is told the index of the values under the pointer, or null
 * @returns what removes the plot
 */
export function drawPlot(
  element: HTMLElement,
  content: PlotContent,
  onIndex: (index: number | null) => void,
): () => void {
  const { x, series, marks = [] } = content;
  const colours = coloursIn(element);
  const options: uPlot.Options = {
    ...{ width: element.clientWidth, height, legend: { show: false } },
    cursor: { y: false, drag: { x: false }, points: { show: false } },
    scales: scalesOf(series),
    axes: axesOf(content, colours),
    series: [{}, ...series.map((each) => seriesOf(each, colours))],
    hooks: {
      setLegend: [({ cursor }) => onIndex(cursor.idx ?? null)],
      draw: [(drawn) => drawMarks(drawn, marks, colours)],
    },
  };
  const plot = new uPlot(options, [[...x], ...series.map(drawnValues)], element);
  const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
  observer.observe(element);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
}

/** The page's colours, as a canvas takes them. */
interface Colours {
  readonly ink: string;
  readonly softInk: string;
  readonly line: string;
  readonly accent: string;
  readonly card: string;
}

/** The colours in the scheme that the page has now, light, dark or the reader's own. */
function coloursIn(element: HTMLElement): Colours {
  const probe = element.appendChild(document.createElement("span"));
  const colourOf = (name: string) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = {
    ...{ ink: colourOf("--ink"), softInk: colourOf("--soft-ink"), line: colourOf("--line") },
    ...{ accent: colourOf("--accent"), card: colourOf("--card") },
  };
  probe.remove();
  return colours;
}

const isBars = ({ look }: PlotSeries) => look.endsWith("bars");

/** Scales from zero up, with half a step of room beside the first and the last bar. */
function scalesOf(series: readonly PlotSeries[]): uPlot.Scales {
  const room = series.some(isBars) ? 0.5 : 0;
  return {
    x: { time: false, range: (_, min, max) => [min - room, max === min && room === 0 ? min + 1 : max + room] },
    y: { range: (_, __, max) => [0, max > 0 ? max * 1.1 : 1] },
  };
}

/** Values of a series that are drawn: a bar of zero is not. */
function drawnValues(series: PlotSeries): (number | null)[] {
  return series.values.map((value) => (isBars(series) && value === 0 ? null : value));
}

const font = "12px system-ui, sans-serif";

function axesOf({ xAxis, yAxis }: PlotContent, colours: Colours): uPlot.Axis[] {
  const axis = ({ format, steps }: PlotAxis): uPlot.Axis => ({
    ...{ stroke: colours.softInk, font, ticks: { stroke: colours.line, width: 1 } },
    ...(steps && { incrs: [...steps] }),
    values: (_, splits) => splits.map(format),
  });
  return [
    {
      ...axis(xAxis),
      size: 32,
      grid: { show: false },
      border: { show: true, stroke: colours.softInk, width: 1 },
      space: 72,
    },
    { ...axis(yAxis), grid: { stroke: colours.line, width: 1 }, size: (plot, values) => widthOf(plot, values) },
  ];
}

/** The widest value with the tick beside it, in CSS pixels. Before there are values there is no width. */
function widthOf({ ctx }: uPlot, values: readonly string[] | null): number {
  ctx.save();
  ctx.font = font;
  const widest = Math.max(0, ...(values ?? []).map((value) => ctx.measureText(value).width));
  ctx.restore();
  return Math.ceil(widest) + 20;
}

function seriesOf({ label, look }: PlotSeries, { accent }: Colours): uPlot.Series {
  if (look === "line") return { label, stroke: accent, width: 2, points: { show: false } };
  if (look === "dashed line") return { label, stroke: accent, width: 2, dash: [6, 4], points: { show: false } };
  const paths = uPlot.paths.bars?.({ size: [0.7, 48], radius: 0.05 });
  const fill = look === "full bars" ? accent : hatching(accent);
  return { label, stroke: accent, fill, width: 1, points: { show: false }, ...(paths && { paths }) };
}

/** Lines from the lower left to the upper right. */
function hatching(colour: string): CanvasPattern {
  const canvas = document.createElement("canvas");
  const side = 6 * devicePixelRatio;
  canvas.width = canvas.height = side;
  const context = canvas.getContext("2d") as CanvasRenderingContext2D;
  context.strokeStyle = colour;
  context.lineWidth = devicePixelRatio;
  context.beginPath();
  // Also the corners, so that the lines go on in the next tile.
  for (const shift of [-side, 0, side]) {
    context.moveTo(shift - 1, side + 1);
    context.lineTo(shift + side + 1, -1);
  }
  context.stroke();
  return context.createPattern(canvas, "repeat") as CanvasPattern;
}

/** Dashed lines with their texts at the top; a text that would stand on the one before it is left out, its line is not. */
function drawMarks(plot: uPlot, marks: readonly PlotMark[], { ink, card }: Colours): void {
  const { ctx, bbox } = plot;
  const pixel = uPlot.pxRatio;
  ctx.save();
  ctx.font = `600 ${12 * pixel}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  ctx.lineWidth = pixel;
  let free = 0;
  for (const { at, text } of marks) {
    // In the middle of a pixel, so that it is sharp.
    const x = Math.floor(plot.valToPos(at, "x", true)) + 0.5;
    ctx.strokeStyle = ink;
    ctx.setLineDash([2 * pixel, 3 * pixel]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    const width = ctx.measureText(text).width;
    // Beside the line, within the plot.
    const left = Math.min(x + 4 * pixel, bbox.left + bbox.width - width);
    if (left < free) continue;
    ctx.fillStyle = card;
    ctx.fillRect(left - pixel, bbox.top, width + 2 * pixel, 14 * pixel);
    ctx.fillStyle = ink;
    ctx.fillText(text, left, bbox.top + pixel);
    free = left + width + 6 * pixel;
  }
  ctx.restore();
}
