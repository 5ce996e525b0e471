import { printable } from "./text.ts";

/** A row of a list: its cells, and a line below it. */
export interface Row {
  readonly cells: readonly string[];
  readonly below?: string;
}

/** Look of a list on this output. */
export interface Look {
  /** Columns of the screen; undefined if there is no screen. */
  readonly width: number | undefined;
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
}

const gap = "  ";

/**
 * A list under headings. The first column is bold; what does not fit the width of a screen is cut at its end.
 */
export function columns(headings: readonly string[], rows: readonly Row[], { width, bold, dim }: Look): string {
  const texts = [headings, ...rows.map(({ cells }) => cells.map(printable))];
  const widths = headings.map((_, index) => Math.max(...texts.map((cells) => cells[index]?.length ?? 0)));
  const lines = texts.map((cells) =>
    cut(
      cells
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join(gap)
        .trimEnd(),
      width,
    ),
  );
  const [heading = "", ...others] = lines;
  const first = widths[0] ?? 0;
  const body = others.flatMap((line, index) => {
    const { below } = rows[index] ?? {};
    const styled = bold(line.slice(0, first)) + line.slice(first);
    return below === undefined ? [styled] : [styled, dim(cut(gap + printable(below), width))];
  });
  return [dim(heading), ...body].join("\n");
}

function cut(line: string, width = Number.POSITIVE_INFINITY): string {
  return line.length <= width ? line : `${line.slice(0, Math.max(0, width - 1))}…`;
}
