import type { Comparison } from "./comparison.ts";

/** A promise of how fast or how small something is, beside what was measured. */
export interface Target {
  /** What is measured, as people call it. */
  readonly what: string;
  readonly measured: string;
  readonly promised: string;
  /** `held`, or by how much it is missed. */
  readonly verdict: string;
}

/** What an area has to say: a section of RESULTS.md in Markdown, and its pictures as SVG by file name. */
export interface Section {
  readonly markdown: string;
  readonly plots: Readonly<Record<string, string>>;
  /** What was promised of what the section measures. */
  readonly targets?: readonly Target[];
  /** Other documents that the area writes, by their paths. */
  readonly documents?: Readonly<Record<string, string>>;
}

/** A Markdown table; every column but the first is aligned to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = head.map((_, index) => (index === 0 ? "---" : "---:"));
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

/** Three significant digits at least, thousands parted: `1.23`, `45.6`, `1,234`. */
export function number(value: number): string {
  const digits = value === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return value.toLocaleString("en", { maximumFractionDigits: Math.min(digits, 4) });
}

/** A ratio with its 95 % interval, marked where the noise is larger than the difference. */
export function ratio({ ratio, low, high, isDecided }: Comparison): string {
  return `${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})${isDecided ? "" : " noise"}`;
}
