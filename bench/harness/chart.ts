import type { BarSeriesOption, LineSeriesOption } from "echarts/charts";
import { BarChart, LineChart } from "echarts/charts";
import type { GridComponentOption, LegendComponentOption, TitleComponentOption } from "echarts/components";
import { GridComponent, LegendComponent, TitleComponent } from "echarts/components";
import { type ComposeOption, init, use } from "echarts/core";
import { LabelLayout, LegacyGridContainLabel } from "echarts/features";
import { SVGRenderer } from "echarts/renderers";

use([
  BarChart,
  LineChart,
  GridComponent,
  LegendComponent,
  TitleComponent,
  LabelLayout,
  LegacyGridContainLabel,
  SVGRenderer,
]);

type Option = ComposeOption<
  BarSeriesOption | LineSeriesOption | GridComponentOption | LegendComponentOption | TitleComponentOption
>;

/** Ours first; the rest are what one would use instead. Told apart without colour vision too (Okabe and Ito). */
const colours = ["#0072b2", "#e69f00", "#999999", "#cc79a7", "#009e73"];

/** What every chart says in words. */
interface Titles {
  /** The finding, as a sentence. */
  readonly title: string;
  /** What is drawn, in which unit. */
  readonly subtitle: string;
}

/** Horizontal bars, a group for each category and a bar in it for each series, with its value written at its end. */
export function barChart(
  chart: Titles & {
    categories: readonly string[];
    series: Readonly<Record<string, readonly (number | null)[]>>;
    label: (value: number) => string;
    logarithmic?: boolean;
  },
): string {
  const { categories, logarithmic = false } = chart;
  const names = Object.keys(chart.series);
  const top = names.length > 1 ? 92 : 64;
  const height = top + 18 + categories.length * (names.length * 15 + 14);
  return render(height, {
    ...frame(chart, names.length > 1 ? names : []),
    grid: { left: 20 + widthOf(categories), right: 84, top, bottom: 12 },
    xAxis: {
      type: logarithmic ? "log" : "value",
      show: false,
      ...(logarithmic && { min: ({ min }: { min: number }) => min / 3 }),
    },
    yAxis: {
      type: "category",
      data: [...categories],
      inverse: true,
      axisTick: { show: false },
      axisLine: { show: false },
      axisLabel: { color: "#333", fontSize: 12 },
    },
    series: names.map((name) => ({
      name,
      type: "bar",
      data: [...(chart.series[name] ?? [])] as number[],
      barWidth: 13,
      barGap: "15%",
      label: {
        show: true,
        position: "right",
        color: "#333",
        fontSize: 11,
        formatter: ({ value }) => (typeof value === "number" ? chart.label(value) : ""),
      },
    })),
  } as Option);
}

/**
 * Lines over a number that grows, both axes logarithmic unless said otherwise. Of one or two lines every value is written,
 * ours below its line; more lines have their name and last value at their end instead of a legend.
 */
export function lineChart(
  chart: Titles & {
    x: { readonly name: string; readonly values: readonly number[] };
    y: { readonly name: string; readonly linear?: boolean };
    series: Readonly<Record<string, readonly (number | null)[]>>;
    label: (value: number) => string;
  },
): string {
  const names = Object.keys(chart.series);
  const { x, y } = chart;
  const isCrowded = names.length > 2;
  const textOf = (value: unknown) => (typeof value === "number" ? chart.label(value) : "");
  return render(420, {
    ...frame(chart, isCrowded ? [] : names),
    grid: {
      left: 86,
      right: isCrowded ? 66 + widthOf(names) : 40,
      top: isCrowded ? 72 : 104,
      bottom: 56,
    },
    xAxis: {
      type: "category",
      data: x.values.map((value) => value.toLocaleString("en")),
      name: x.name,
      nameLocation: "middle",
      nameGap: 30,
      boundaryGap: !isCrowded,
    },
    yAxis: {
      type: y.linear ? "value" : "log",
      name: y.name,
      nameLocation: "middle",
      nameGap: 58,
      axisLabel: { formatter: (value: number) => chart.label(value) },
      ...(y.linear && { min: 0 }),
    },
    series: names.map((name, place) => ({
      name,
      type: "line",
      symbolSize: 7,
      data: [...(chart.series[name] ?? [])] as number[],
      ...(isCrowded
        ? { endLabel: { ...labelStyle, formatter: ({ value }: Point) => `${name}: ${textOf(value)}` } }
        : {
            label: {
              ...labelStyle,
              position: place ? "top" : "bottom",
              formatter: ({ value }: Point) => textOf(value),
            },
          }),
      labelLayout: { moveOverlap: "shiftY" },
    })),
  } as Option);
}

interface Point {
  readonly value: unknown;
}

const labelStyle = { show: true, fontSize: 11, color: "#333" };

/** Room for the longest of the texts in 12 pixels, in the widest of the usual fonts. */
function widthOf(texts: readonly string[]): number {
  return Math.max(...texts.map((text) => text.length)) * 7.4;
}

/** A legend for the names, where there are any. */
function frame({ title, subtitle }: Titles, names: readonly string[]): Option {
  return {
    backgroundColor: "#ffffff",
    color: colours,
    animation: false,
    textStyle: { fontFamily: "system-ui, sans-serif" },
    title: {
      text: title,
      subtext: subtitle,
      left: 12,
      top: 8,
      textStyle: { fontSize: Math.min(16, 1_400 / title.length), color: "#111" },
      subtextStyle: { fontSize: 12, color: "#555" },
    },
    legend: { data: [...names], left: 12, top: 62, itemGap: 26, itemWidth: 14, itemHeight: 10, selectedMode: false },
  };
}

function render(height: number, option: Option): string {
  const chart = init(null, null, { renderer: "svg", ssr: true, width: 860, height });
  chart.setOption(option);
  const svg = chart.renderToSVGString({ useViewBox: true });
  chart.dispose();
  return svg;
}
