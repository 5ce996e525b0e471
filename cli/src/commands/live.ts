import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { Client } from "../../../contract/client.ts";
import type { ReleaseParams } from "../../../publisher/going-live.ts";
import { ApiCommand, example, projectFlag } from "../command.ts";
import { UserError } from "../errors.ts";
import { readTime, scheduledRelease, timeInWords } from "../live-at.ts";
import { endedScheduleLines, expectedRelease, makeLive, notSeenYet, waitingLines } from "../publish/going-live.ts";
import { idOfRelease, nameOfRelease } from "../release-lines.ts";

export class Live extends ApiCommand {
  static override hiddenAliases = ["promote"];
  static override summary = "Make a release live: that of a preview, or an earlier one.";
  static override description =
    "Takes one request and sends no file: players get the very bytes that the preview or the release had. A preview is deleted then. " +
    "Without a name it takes the only preview that there is; svc rollback takes the release before the live one. " +
    "With --at it goes live by itself at that time, or at most a minute later, unless another release goes live before " +
    "(--expect-current any: also then). A project has one such release; svc live --cancel takes it back.";
  static override examples = [
    example("The release of the only preview"),
    example("A release that svc releases or svc previews shows", "3"),
    example("At a time, here of another zone than this machine's", "3 --at 2026-12-01T18:00+01:00"),
  ];
  static override args = {
    release: Args.string({
      ignoreStdin: true,
      description: "The release or its number, as svc releases shows it; default: the only one with a preview.",
    }),
  };
  static override flags = {
    ...projectFlag,
    "expect-current": Flags.string({
      summary:
        "Only if RELEASE is live now (none: nothing is live; any: do not check). Default: the release that is live when svc looks.",
      helpValue: "RELEASE",
    }),
    at: Flags.string({
      summary: "Let it go live at this time, such as 2026-12-01T18:00+01:00; without a zone in that of this machine.",
      helpValue: "TIME",
      exclusive: ["cancel"],
    }),
    cancel: Flags.boolean({ summary: "Let no release go live by itself any more." }),
  };

  async run() {
    const { args, flags } = await this.parse(Live);
    const at = flags.at === undefined ? undefined : readTime(flags.at, new Date());
    const slug = await this.slugOf(flags.project);
    const { client } = await this.connectTo({ slug }, flags.api);
    if (flags.cancel) return await this.#cancel(client, slug, args.release);
    const expected = await expectedRelease(client, slug, flags["expect-current"]);
    const id = args.release ? await idOfRelease(client, slug, args.release) : await onlyPreview(client, slug);
    if (at) return await this.#schedule(client, { slug, id }, at, expected);
    const made = await makeLive(client, { slug, id }, expected);
    this.say(liveLine(slug, made));
    if (made.edge === "waiting") this.note(notSeenYet);
    return liveDocument(slug, made);
  }

  /** @param expected undefined: also if another one goes live before */
  async #schedule(client: Client, params: ReleaseParams, at: Date, expected: string | null | undefined) {
    const body = {
      at: at.toISOString(),
      ...(expected === undefined ? { despite_changes: true } : { expect_current: expected }),
    };
    const release = await client.call("POST /projects/:slug/releases/:id/schedule", { params, body });
    const { slug } = params;
    this.say(`Release ${nameOfRelease(release)} of ${slug} goes live on ${timeInWords(at)}.`);
    this.say("svc live --cancel takes it back; a roll-back, and svc offline, do too.");
    return { project: slug, release, status: "scheduled" };
  }

  async #cancel(client: Client, slug: string, named: string | undefined) {
    const id = named ? await idOfRelease(client, slug, named) : (await scheduledRelease(client, slug)).id;
    const release = await client.call("DELETE /projects/:slug/releases/:id/schedule", { params: { slug, id } });
    this.say(
      `Release ${nameOfRelease(release)} of ${slug} is not scheduled${release.status === "live" ? ": it is live" : " any more"}.`,
    );
    return { project: slug, release, status: release.status };
  }
}

type Made = Awaited<ReturnType<typeof makeLive>>;

/** What --json prints of a release that is live now, or waits for a person. */
export function liveDocument(slug: string, { release, previousRelease, endedSchedule = null, edge, review }: Made) {
  const state = review ? { status: "waiting", review_url: review.url } : { status: "live" };
  return { project: slug, release, previous_release: previousRelease, ended_schedule: endedSchedule, edge, ...state };
}

/** Line about the release that is live now, and its URL; or about one that waits for a person. */
export function liveLine(slug: string, made: Made): string {
  const { release, playUrl, review } = made;
  if (review) return [`Release ${release.id} of ${slug} is complete.`, ...waitingLines(slug, review)].join("\n");
  const again = release.first_published_at === release.published_at ? "" : " again";
  const lines = [`Release ${nameOfRelease(release)} of ${slug} is live${again}.`, ...endedScheduleLines(made)];
  return [...lines, ...(playUrl === null ? [] : [playUrl])].join("\n");
}

/** @throws UserError if there is none, or more than one */
async function onlyPreview(client: Client, slug: string): Promise<string> {
  const { previews } = await client.call("GET /projects/:slug/previews", { params: { slug } });
  const [first, ...others] = previews;
  if (first !== undefined && others.length === 0) return first.release.id;
  throw new UserError(`${slug} has ${previews.length === 0 ? "no preview" : `${previews.length} previews`}.`, {
    code: first === undefined ? "no_preview" : "several_previews",
    next: first === undefined ? "Open one: svc publish --preview" : "Name the release: svc previews lists them.",
  });
}
