import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { Client } from "../../../contract/client.ts";
import { ApiCommand, example, projectFlag } from "../command.ts";
import { UserError } from "../errors.ts";
import { expectedRelease, makeLive, notSeenYet } from "../publish/going-live.ts";
import { idOfRelease, numberedId } from "../release-lines.ts";

export class Live extends ApiCommand {
  static override hiddenAliases = ["promote"];
  static override summary = "Make a release live: that of a preview, or an earlier one.";
  static override description =
    "Takes one request and sends no file: players get the very bytes that the preview or the release had. A preview is deleted then. " +
    "Without a name it takes the only preview that there is; svc rollback takes the release before the live one.";
  static override examples = [
    example("The release of the only preview"),
    example("A release that svc releases or svc previews shows", "3"),
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
        "Only if this release is live now; none: only if no release is live; any: whichever is. Without it: the one that is live when svc looks.",
      helpValue: "RELEASE",
    }),
  };

  async run() {
    const { args, flags } = await this.parse(Live);
    const slug = await this.slugOf(flags.project);
    const { client } = await this.connectTo({ slug }, flags.api);
    const expected = await expectedRelease(client, slug, flags["expect-current"]);
    const id = args.release ? await idOfRelease(client, slug, args.release) : await onlyPreview(client, slug);
    const made = await makeLive(client, { slug, id }, expected);
    this.say(liveLine(slug, made));
    if (made.edge === "waiting") this.note(notSeenYet);
    return { project: slug, release: made.release, previous_release: made.previousRelease, edge: made.edge };
  }
}

/** Line about the release that is live now: its predecessor, and its URL. */
export function liveLine(slug: string, made: Awaited<ReturnType<typeof makeLive>>): string {
  const { release, previousRelease: before, playUrl } = made;
  const again = release.first_published_at === release.published_at ? "" : " again";
  const replaced = before === null || before === release.id ? "" : `, in place of ${before}`;
  return `Release ${numberedId(release)} of ${slug} is live${again}${replaced}.${playUrl === null ? "" : `\n${playUrl}`}`;
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
