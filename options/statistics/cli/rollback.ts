import { type ComparedReleases, Rollback } from "../../../cli/src/commands/rollback.ts";
import { limits } from "../../../contract/api/limits.ts";
import type { Client } from "../../../contract/client.ts";
import { compareReleases, firstOfDays } from "../contract/plays.ts";
import { playsHeadings, playsRow } from "./plays-rows.ts";

/** `svc rollback`, which shows who is asked how both releases were played, if enough is known. */
export class RollbackWithPlays extends Rollback {
  protected override async showBoth(client: Client, slug: string, ids: ComparedReleases): Promise<void> {
    // Neither a failure nor a retry must be in the way of a roll-back.
    try {
      const query = { from: firstOfDays(limits.statisticsDays) };
      const { days } = await client.call("GET /projects/:slug/statistics", { params: { slug }, query, tries: 1 });
      const compared = compareReleases(days, ids);
      if (compared) this.sayColumns([...playsHeadings], [compared.before, compared.of].map(playsRow));
    } catch (error) {
      this.note(`How both releases were played is not known: ${(error as Error).message}`);
    }
  }
}
