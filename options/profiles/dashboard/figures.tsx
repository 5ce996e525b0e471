import { Table, Wide } from "../../../dashboard/src/parts/table.tsx";
import type { Analysis } from "./analysis.ts";
import { rowsOf } from "./comparison.ts";
import type { NamedAnalysis } from "./plots.tsx";

interface FiguresProps extends NamedAnalysis {
  /** Profile that this one is compared with. */
  readonly other?: NamedAnalysis;
}

/** The numbers of a profile; beside those of another one with what became worse. */
export function Figures({ analysis, name, other }: FiguresProps) {
  const rows = rowsOf(analysis, other?.analysis);
  if (other === undefined)
    return (
      <section class="card">
        <h2>In numbers</h2>
        <FrameCount of={analysis} />
        <Table label="In numbers" look="comparison" rows={rows.map(({ title, value }) => [title, value])} />
      </section>
    );
  return (
    <section class="card">
      <h2>Beside another profile</h2>
      <Wide label="Both profiles">
        <Table
          label="Both profiles"
          look="comparison"
          columns={["", <bdi key="other">{other.name}</bdi>, <bdi key="this">{name}</bdi>, "It became"]}
          rows={rows.map(({ title, value, other, change }) => [
            title,
            other,
            value,
            change && <span class={`badge ${looks[change]}`}>{change}</span>,
          ])}
        />
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
