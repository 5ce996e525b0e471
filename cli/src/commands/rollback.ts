import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { Client } from "../../../contract/client.ts";
import { ApiCommand, example, projectFlag } from "../command.ts";
import { UserError } from "../errors.ts";
import { expectedRelease, makeLive, notSeenYet } from "../publish/going-live.ts";
import { idOfRelease, type ListedRelease, nameOfRelease, releaseBefore, releaseInWords } from "../release-lines.ts";
import { liveDocument, liveLine } from "./live.ts";

export class Rollback extends ApiCommand {
  static override summary = "Make an earlier release live again.";
  static override description =
    "Takes one request and sends no file. Without a name it goes to the release that was published before the live one, and " +
    "asks first on a terminal; a second roll-back goes further back. The release that was live stays: svc rollback with its " +
    "name makes it live again. Players who have it keep it until they leave; a person deletes a release in the dashboard (svc open releases).";
  static override examples = [
    example("Back to the release before the live one"),
    example("Back to a release that svc releases shows", "3"),
  ];
  static override args = {
    release: Args.string({
      ignoreStdin: true,
      description: "The release or its number, as svc releases shows it; default: the one before the live one.",
    }),
  };
  static override flags = {
    ...projectFlag,
    "expect-current": Flags.string({
      summary: "Only if RELEASE is live now (any: do not check). Default: the release that is live when svc looks.",
      helpValue: "RELEASE",
    }),
  };

  async run() {
    const { args, flags } = await this.parse(Rollback);
    const slug = await this.slugOf(flags.project);
    const { client } = await this.connect(flags.api);
    const wanted =
      args.release === undefined
        ? await this.#earlier(client, slug)
        : { id: await idOfRelease(client, slug, args.release), live: undefined };
    if (wanted === undefined) return { project: slug, release: null, previous_release: null };
    const expected =
      wanted.live === undefined || flags["expect-current"] !== undefined
        ? await expectedRelease(client, slug, flags["expect-current"])
        : wanted.live;
    const made = await makeLive(client, { slug, id: wanted.id }, expected);
    this.say(liveLine(slug, made));
    if (made.edge === "waiting") this.note(notSeenYet);
    return liveDocument(slug, made);
  }

  /**
   * The release before the live one, and the live one, which must still be live then. On a terminal asks first.
   *
   * @returns undefined if the person says no
   */
  async #earlier(client: Client, slug: string): Promise<{ id: string; live: string | null } | undefined> {
    const { releases } = await client.call("GET /projects/:slug/releases", {
      params: { slug },
      query: { limit: "100" },
    });
    const pair = releaseBefore(releases);
    if (pair === undefined) throw noEarlierRelease(slug, releases);
    const { earlier, live } = pair;
    const from = live === undefined ? "" : ` from ${releaseInWords(live)}`;
    if (live !== undefined && this.canAsk())
      await this.showParts({ client, slug, compared: { of: earlier.id, before: live.id } });
    if (await this.isDeclined(`Roll back ${slug}${from} to ${releaseInWords(earlier)}?`)) return undefined;
    if (!this.canAsk()) this.say(`Rolling back ${slug}${from} to ${releaseInWords(earlier)}.`);
    return { id: earlier.id, live: live?.id ?? null };
  }
}

/** Names what was live later: a roll-back never goes there by itself. */
function noEarlierRelease(slug: string, releases: readonly ListedRelease[]): UserError {
  const live = releases.find(({ status }) => status === "live");
  const others = releases.filter(({ status }) => status === "published");
  const why = live
    ? `Release ${nameOfRelease(live)} of ${slug} is live, and none was live before it.`
    : `No release of ${slug} was live.`;
  return new UserError(why, {
    code: "no_earlier_release",
    ...(others.length > 0 && { places: others.slice(0, 5).map((release) => releaseInWords(release)) }),
    next:
      others[0] === undefined
        ? "svc publish makes another one live; svc offline takes the game offline."
        : `To make release #${others[0].number} live again: svc live ${others[0].number}`,
  });
}
