import type { ComponentChildren } from "preact";

interface TableProps {
  readonly label: string;
  /** Left out: a table without headings. The first is that of the rows' names; it may be empty. */
  readonly columns?: readonly ComponentChildren[];
  /** The first cell of each names the row. */
  readonly rows: readonly (readonly ComponentChildren[])[];
  /** Numbers are aligned right; what is compared stands beside each other. */
  readonly look?: "numbers" | "comparison";
}

/** Around a table that may be wider than the page: it is scrolled sideways, also by keyboard. */
export function Wide({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a keyboard scrolls it
    <section class="wide" aria-label={`${label}, scrolled sideways`} tabIndex={0}>
      {children}
    </section>
  );
}

/** What a cell has if there is nothing to say. A column of nothing else is left out. */
export const nothing = "–";

export function Table({ label, columns, rows: all, look = "numbers" }: TableProps) {
  const isTold = (_: unknown, column: number) => column === 0 || all.some((row) => row[column] !== nothing);
  const rows = all.map((row) => row.filter(isTold));
  return (
    <table class={look} aria-label={label}>
      {columns && (
        <thead>
          <tr>
            {columns.filter(isTold).map((column, index) =>
              column === "" ? (
                <td key={index} />
              ) : (
                <th key={index} scope="col">
                  {column}
                </th>
              ),
            )}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map(([first, ...others], index) => (
          <tr key={index}>
            <th scope="row">{first}</th>
            {others.map((cell, column) => (
              <td key={column}>{cell}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
