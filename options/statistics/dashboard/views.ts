import { limits } from "../../../contract/api/limits.ts";
import { firstOfDays } from "../../../contract/api/time/first-of-days.ts";
import type { Client } from "../../../contract/client.ts";
import type { OptionViews } from "../../../dashboard/src/option.ts";
import { compareReleases } from "../contract/plays.ts";
import { comparedPlays } from "./compared-plays.ts";
import { RecentNumbers, readRecent } from "./recent-numbers.tsx";
import { readStatistics, type Statistics } from "./resources.ts";
import { readSpan, StatisticsTab } from "./statistics-tab.tsx";

export const statistics: OptionViews = {
  name: "statistics",
  Tab: StatisticsTab,
  Numbers: RecentNumbers,
  readEarly: (client, slug, tab) => {
    if (tab === "overview") return readRecent(client, slug);
    if (tab === "release") return readLongest(client, slug);
    return tab === "statistics" ? readSpan(client, slug) : undefined;
  },
  comparisons: async (client, slug) => {
    const { days } = await readLongest(client, slug);
    const hint = `Plays, failed requests and first byte are of the last ${limits.statisticsDays} days.`;
    return (ids) => {
      const compared = compareReleases(days, ids);
      return compared && { rows: comparedPlays(compared), hint };
    };
  },
};

/** The statistics of as many days as one request has. */
async function readLongest(client: Client, slug: string): Promise<Statistics> {
  return await readStatistics(client, slug, firstOfDays(limits.statisticsDays));
}
