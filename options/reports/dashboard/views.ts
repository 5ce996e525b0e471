import { number } from "../../../dashboard/src/format.ts";
import type { OptionViews } from "../../../dashboard/src/option.ts";
import { crashesPer1000Plays } from "../contract/rates.ts";
import { CrashTable } from "./crash-table.tsx";
import { readCrashes } from "./resources.ts";
import { WorseRelease } from "./worse-release.tsx";

/** With so many Statistics begins. */
const firstDays = 30;

export const reports: OptionViews = {
  name: "reports",
  Switch: {
    name: "reports",
    label: "Count crashes",
    hint: "Chrome and Edge report if a tab with the game crashes. Statistics shows how often; no player is followed.",
  },
  Numbers: WorseRelease,
  InTab: { statistics: CrashTable },
  readEarly: (client, slug, tab) => {
    if (tab === "statistics") return readCrashes(client, slug, firstDays);
    return tab === "overview" || tab === "release" ? readCrashes(client, slug) : undefined;
  },
  comparisons: async (client, slug) => {
    const { releases } = await readCrashes(client, slug);
    const rateOf = (id: string) => {
      const row = releases.find(({ release }) => release.id === id);
      return row && crashesPer1000Plays(row);
    };
    return (ids) => {
      const [before, of] = [rateOf(ids.before), rateOf(ids.of)];
      if (before === undefined || of === undefined) return undefined;
      return {
        rows: [["Crashes per 1,000 plays", number(before, 1), number(of, 1)]],
        hint: "Crashes are those that Chrome and Edge reported in the last 30 days.",
      };
    };
  },
};
