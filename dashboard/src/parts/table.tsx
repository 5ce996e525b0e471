import type { ComponentChildren } from "preact";

interface TableProps {
  readonly label: string;
  readonly columns: readonly string[];
  /** The first cell of each names the row; the others are numbers. */
  readonly rows: readonly (readonly ComponentChildren[])[];
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

export function Table({ label, columns, rows }: TableProps) {
  return (
    <table class="numbers" aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
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
