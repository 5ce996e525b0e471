import { useDashboard } from "../../../dashboard/src/dashboard.ts";
import { number } from "../../../dashboard/src/format.ts";
import { useLoaded } from "../../../dashboard/src/parts/loaded.ts";
import { nothing, Table, Wide } from "../../../dashboard/src/parts/table.tsx";
import { crashesPer1000Plays, mostOf, ratedPlays, releaseTitle, shownReleases } from "../contract/rates.ts";
import { type Crashes, readCrashes } from "./resources.ts";

/** Crashes of each release in the last days beside its plays. They stay away if there are none, or they cannot be read. */
export function CrashTable({ slug, days }: { slug: string; days: number }) {
  const { api } = useDashboard();
  const { value: read } = useLoaded(() => readCrashes(api, slug, days), [api, slug, days]);
  const shown = shownReleases(read?.releases ?? []);
  if (shown.length === 0) return null;
  return (
    <section class="card">
      <h2>Does it crash?</h2>
      <Wide label="Crashes">
        <Table
          label="Crashes"
          columns={["Release", "Crashes", "Per 1,000 plays", "Mostly", "Mostly on"]}
          rows={shown.map(cellsOf)}
        />
      </Wide>
      <p class="hint">
        Chrome and Edge report a tab that ran out of memory, hung or crashed; Firefox and Safari report none. Anybody
        can send a report, so these are claims. Releases with fewer than {ratedPlays} plays have no rate.
      </p>
    </section>
  );
}

const reasonWords: Readonly<Record<string, string>> = {
  oom: "out of memory",
  unresponsive: "did not respond",
  other: "other",
};

function cellsOf(of: Crashes["releases"][number]): string[] {
  const rate = crashesPer1000Plays(of);
  const reason = mostOf(of.reasons)?.replace(/^\w+/, (name) => reasonWords[name] ?? name);
  return [
    releaseTitle(of.release),
    number(of.crashes),
    rate === undefined ? nothing : number(rate, 1),
    reason ?? nothing,
    mostOf(of.devices) ?? nothing,
  ];
}
