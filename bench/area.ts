import type { Comparison } from "./harness/comparison.ts";

/**
 * Something that `npm run bench` measures. A new area is one file in `bench/areas/` that exports one of these as `area`;
 * the table of bench/RESULTS.md has a row for each of its figures.
 */
export interface Area {
  /** As its file is called: `npm run bench -- NAME` measures it alone. */
  readonly name: string;
  readonly title: string;
  /** What is measured and how, as a paragraph of Markdown. */
  readonly method: string;
  /** By the name of the figure. A figure without a target is shown all the same. */
  readonly targets: Readonly<Record<string, Target>>;
  measure(effort: Effort): Promise<Measured>;
}

export interface Target {
  /** In the figure's own unit. */
  readonly atMost: number;
  /** Where the goal is not met: why, in words, and what would have to change. */
  readonly reasonNotMet?: string;
}

/** How much a run may take. */
export interface Effort {
  /** Few rounds: to see that all works. */
  readonly isQuick: boolean;
}

export interface Measured {
  readonly figures: Readonly<Record<string, Figure>>;
  readonly table?: Table;
}

export interface Figure {
  readonly value: number;
  readonly unit: string;
  /** Where the value lies with 95 % confidence, if that is known. */
  readonly range?: readonly [low: number, high: number];
}

/** Details below the figures: the first column is text, the others are numbers. */
export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** How many times as long, or as much, as the other contender. */
export function ratioFigure({ ratio, low, high }: Comparison): Figure {
  return { value: ratio, unit: "×", range: [low, high] };
}

/** Three significant digits at least, thousands separated: `1.23`, `45.6`, `1,234`. */
export function number(value: number): string {
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en", { maximumFractionDigits: Math.min(digits, 4) });
}

/** A ratio with its 95 % interval: `0.44 (0.39–0.53)`. */
export function ratioText({ ratio, low, high }: Comparison): string {
  return `${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
}
