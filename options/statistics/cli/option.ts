import type { CliOption } from "../../../cli/src/option.ts";
import { limits } from "../../../contract/api/limits.ts";
import { compareReleases, firstOfDays } from "../contract/plays.ts";
import { playsHeadings, playsRow } from "./plays-rows.ts";
import { Stats } from "./stats.ts";

export const statistics: CliOption = {
  name: "statistics",
  commands: { stats: Stats },
  comparison: {
    headings: playsHeadings,
    // A failure must not be in the way of a roll-back, nor a retry.
    rows: async (client, slug, ids) => {
      const query = { from: firstOfDays(limits.statisticsDays) };
      const { days } = await client.call("GET /projects/:slug/statistics", { params: { slug }, query, tries: 1 });
      const compared = compareReleases(days, ids);
      return compared && [compared.before, compared.of].map(playsRow);
    },
  },
};
