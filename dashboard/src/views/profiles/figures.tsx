import { Wide } from "../../parts/table.tsx";
import type { Analysis } from "./analysis.ts";
import { rowsOf } from "./comparison.ts";

interface NamedAnalysis {
  readonly analysis: Analysis;
  readonly name: string;
}

interface FiguresProps extends NamedAnalysis {
  /** What it is compared with. */
  readonly other?: NamedAnalysis;
}

/** The numbers of a profile; beside those of another one with what became worse. */
export function Figures({ analysis, name, other }: FiguresProps) {
  const rows = rowsOf(analysis, other?.analysis);
  if (other === undefined)
    return (
      <section>
        <h2 class="section">In numbers</h2>
        <FrameCount of={analysis} />
        <table class="comparison" aria-label="In numbers">
          <tbody>
            {rows.map(({ title, value }) => (
              <tr key={title}>
                <th scope="row">{title}</th>
                <td>{value}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    );
  return (
    <section>
      <h2 class="section">Beside another profile</h2>
      <Wide label="Both profiles">
        <table class="comparison" aria-label="Both profiles">
          <thead>
            <tr>
              <td />
              {[other.name, name].map((text, index) => (
                <th key={index} scope="col">
                  <bdi>{text}</bdi>
                </th>
              ))}
              <th scope="col">It became</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.title}>
                <th scope="row">{row.title}</th>
                <td>{row.other}</td>
                <td>{row.value}</td>
                <td>{row.change && <span class={`badge ${looks[row.change]}`}>{row.change}</span>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
      <p class="hint">
        Differences of up to 5 % are called the same: two measurements of one release differ by as much.
      </p>
    </section>
  );
}

const looks = { worse: "soon", better: "on", "the same": "off" } as const;

function FrameCount({ of: { summary } }: { of: Analysis }) {
  if (summary === undefined) return null;
  return (
    <p class="hint">
      {summary.frames} frames in {summary.seconds} s
    </p>
  );
}
