import { Table } from "../../../dashboard/src/parts/table.tsx";
import { comparablePlays, latestUpdate } from "../contract/plays.ts";
import { comparedPlays } from "./compared-plays.ts";
import type { Statistics } from "./resources.ts";

/** The latest release beside the one before it; nothing if one of them has few plays. */
export function UpdateEffect({ days }: { days: Statistics["days"] }) {
  const update = latestUpdate(days);
  if (update === undefined) return null;
  const title = `What did update #${update.of.release.number} do?`;
  return (
    <section class="card">
      <h2>{title}</h2>
      <Table
        label={title}
        look="comparison"
        columns={["", `#${update.before.release.number}`, `#${update.of.release.number}`]}
        rows={comparedPlays(update)}
      />
      <p class="hint">
        First byte: from a request for a page that is opened to the first byte of the response, on average. Releases
        with fewer than {comparablePlays} plays in these days are not compared.
      </p>
    </section>
  );
}
