import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import type { Client } from "../client.ts";
import { ApiCommand, example, projectFlag } from "../command.ts";
import { UserError } from "../errors.ts";
import { expectedRelease, makeLive, notSeenYet } from "../publish/going-live.ts";
import { idOfRelease, numberedId } from "../release-lines.ts";

export class Promote extends ApiCommand {
  static override summary = "Make the release of a preview live.";
  static override description =
    "Takes one request and sends no file: players get the very bytes that the preview showed, and the preview is deleted. Without a name " +
    "it takes the only preview that there is.";
  static override examples = [example("Make a release live that svc previews shows", "0Vx3mGk8cW2bT7qLr9Zs4A")];
  static override args = {
    release: Args.string({
      ignoreStdin: true,
      description: "The release, as svc previews shows it; default: the only one with a preview.",
    }),
  };
  static override flags = {
    ...projectFlag,
    "expect-current": Flags.string({
      summary:
        "Promote only if this release is live now; none: only if no release is live; any: whichever is. Without it: the one that is live when svc looks.",
      helpValue: "RELEASE",
    }),
  };

  async run() {
    const { args, flags } = await this.parse(Promote);
    const slug = await this.slugOf(flags.project);
    const { client } = await this.connectTo({ slug }, flags.api);
    const expected = await expectedRelease(client, slug, flags["expect-current"]);
    const id = args.release ? await idOfRelease(client, slug, args.release) : await onlyPreview(client, slug);
    const made = await makeLive(client, { slug, id }, expected);
    const url = made.playUrl === null ? "" : `\n${made.playUrl}`;
    this.say(`Release ${numberedId(made.release)} of ${slug} is live.${url}`);
    if (made.edge === "waiting") this.note(notSeenYet);
    return { project: slug, release: made.release, previous_release: made.previousRelease, edge: made.edge };
  }
}

/** @throws UserError if there is none, or more than one */
async function onlyPreview(client: Client, slug: string): Promise<string> {
  const { previews } = await client.call("listPreviews", { params: { slug } });
  const [first, ...others] = previews;
  if (first !== undefined && others.length === 0) return first.release.id;
  throw new UserError(`${slug} has ${previews.length === 0 ? "no preview" : `${previews.length} previews`}.`, {
    code: first === undefined ? "no_preview" : "several_previews",
    next: first === undefined ? "Open one: svc publish --preview" : "Name the release: svc previews lists them.",
  });
}
