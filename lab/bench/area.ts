import type { Comparison } from "./harness/comparison.ts";

/**
 * An area that `npm run bench` measures. A new one is a file in `lab/bench/areas/` that exports it as `area`; the table of
 * lab/bench/RESULTS.md has a row for each of its figures.
 */
export interface Area {
  /** The name of its file: `npm run bench -- NAME` measures only this area. */
  readonly name: string;
  readonly title: string;
  /** Description of what is measured and how, as a paragraph of Markdown. */
  readonly method: string;
  /** The names of the figures that decide, which stand at the top of lab/bench/RESULTS.md. */
  readonly decides: readonly string[];
  /** By the name of the figure. A figure without a target is shown too. */
  readonly targets: Readonly<Record<string, Target>>;
  measure(effort: Effort): Promise<Measurement>;
}

export interface Target {
  /** In the figure's own unit. */
  readonly atMost: number;
  /** If the goal is not met: why, and what would have to change. */
  readonly reasonNotMet?: string;
}

/** Effort of a run. */
export interface Effort {
  /** As little as fills every figure, only to see that everything works. Nothing is written. */
  readonly isQuick: boolean;
}

export interface Measurement {
  readonly figures: Readonly<Record<string, Figure>>;
  readonly table?: Table;
}

export interface Figure {
  readonly value: number;
  readonly unit: string;
  /** Confidence interval of 95 %, if it is known. */
  readonly range?: readonly [low: number, high: number];
}

/** Details below the figures: the first column is text, the others are numbers. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A figure for how many times as long, or as much, we take as the other contender. */
export function ratioFigure({ ratio, low, high }: Comparison): Figure {
  return { value: ratio, unit: "×", range: [low, high] };
}

/** Number with at least three significant digits, and thousands separated: `1.23`, `45.6`, `1,234`. */
export function number(value: number): string {
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en", { maximumFractionDigits: Math.min(digits, 4) });
}

/** A ratio with its 95 % interval: `0.44 (0.39–0.53)`. */
export function ratioText({ ratio, low, high }: Comparison): string {
  return `${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}
