import type { CommandPart } from "../../../cli/src/command-parts.ts";
import { limits } from "../../../contract/api/limits.ts";
import { firstOfDays } from "../../../contract/api/time/first-of-days.ts";
import { compareReleases } from "../contract/plays.ts";
import { playsHeadings, playsRow } from "./plays-rows.ts";

/** How two releases were played, if enough is known. */
export const comparePlays: CommandPart = async ({ client, slug, compared, sayColumns }) => {
  if (compared === undefined) return;
  const query = { from: firstOfDays(limits.statisticsDays) };
  // A retry must not be in the way of a roll-back.
  const { days } = await client.call("GET /projects/:slug/statistics", { params: { slug }, query, tries: 1 });
  const plays = compareReleases(days, compared);
  if (plays) sayColumns([...playsHeadings], [plays.before, plays.of].map(playsRow));
};
