/** Numbers over the same values of the horizontal axis; null is a gap. */
export interface PlotSeries {
  readonly label: string;
  readonly values: readonly (number | null)[];
  /** Told apart without colour: bars are full or hatched, lines are whole or dashed. */
  readonly look: "full bars" | "hatched bars" | "line" | "dashed line";
}

export interface PlotAxis {
  /** A value of it as the reader writes it. */
  readonly format: (value: number) => string;
  /** The distances that ticks may have, the smallest first; any by default. */
  readonly steps?: readonly number[];
}

/** A place on the horizontal axis that is marked with a line and a short text. */
export interface PlotMark {
  readonly at: number;
  readonly text: string;
}

export interface PlotContent {
  /** Ascending. */
  readonly x: readonly number[];
  /** Drawn in this order, so a later one covers an earlier one; bars begin at zero, so they are sums with those that they cover. */
  readonly series: readonly PlotSeries[];
  readonly xAxis: PlotAxis;
  readonly yAxis: PlotAxis;
  readonly marks?: readonly PlotMark[];
}
