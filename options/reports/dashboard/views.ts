import { number } from "../../../dashboard/src/format.ts";
import type { OptionViews } from "../../../dashboard/src/option.ts";
import { crashesPer1000Plays } from "../contract/rates.ts";
import { CrashTable } from "./crash-table.tsx";
import { readCrashes } from "./resources.ts";
import { WorseRelease } from "./worse-release.tsx";

export const reports: OptionViews = {
  name: "reports",
  Numbers: WorseRelease,
  InTab: { statistics: CrashTable },
  readEarly: (client, slug, tab) => (["overview", "statistics"].includes(tab) ? readCrashes(client, slug) : undefined),
  compare: async (api, slug, ids) => {
    const { releases } = await readCrashes(api, slug);
    const rateOf = (id: string) => {
      const found = releases.find(({ release }) => release.id === id);
      return found && crashesPer1000Plays(found);
    };
    const [before, of] = [rateOf(ids.before), rateOf(ids.of)];
    if (before === undefined || of === undefined) return undefined;
    return {
      rows: [["Crashes per 1,000 plays", number(before, 1), number(of, 1)]],
      hint: "Crashes are those that Chrome and Edge reported in the last 30 days.",
    };
  },
};
