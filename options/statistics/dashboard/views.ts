import { limits } from "../../../contract/api/limits.ts";
import type { OptionViews } from "../../../dashboard/src/option.ts";
import { compareReleases, firstOfDays } from "../contract/plays.ts";
import { comparedPlays } from "./compared-plays.ts";
import { RecentNumbers, readRecent } from "./recent-numbers.tsx";
import { readSpan, StatisticsTab } from "./statistics-tab.tsx";

export const statistics: OptionViews = {
  name: "statistics",
  Tab: StatisticsTab,
  Numbers: RecentNumbers,
  readEarly: (client, slug, tab) => {
    if (tab === "overview") return readRecent(client, slug);
    return tab === "statistics" ? readSpan(client, slug) : undefined;
  },
  compare: async (api, slug, ids) => {
    const query = { from: firstOfDays(limits.statisticsDays) };
    const { days } = await api.call("GET /projects/:slug/statistics", { params: { slug }, query });
    const compared = compareReleases(days, ids);
    const hint = `Plays, failed requests and first byte are of the last ${limits.statisticsDays} days.`;
    return compared && { rows: comparedPlays(compared), hint };
  },
};
