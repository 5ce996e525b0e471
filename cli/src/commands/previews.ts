import * as Flags from "@oclif/core/flags";
import type { Client } from "../../../contract/client.ts";
import { activatePreview, untilEdgeHasIt } from "../../../publisher/going-live.ts";
import { ApiCommand, example, projectFlag } from "../command.ts";
import { notSeenYet, stillPlayed } from "../publish/going-live.ts";
import { idOfRelease, nameOfRelease } from "../release-lines.ts";
import { minute } from "../text.ts";

export class Previews extends ApiCommand {
  static override summary = "List the previews of a project.";
  static override description =
    "A preview shows a release that is not live at a URL of its own: svc publish --preview opens that of a new one, --open that of one " +
    "that was live before. It is deleted after 7 days, when its release goes live, or with --end; --keep makes that 30 days. Times are in UTC.";
  static override examples = [
    example("The previews of the project in svc.toml"),
    example("Look at an earlier release before it is made live again", "--open 3"),
    example("Delete one before it expires", "--end pr-12"),
  ];
  static override flags = {
    ...projectFlag,
    open: Flags.string({
      summary: "Open the preview of this release, named by its number or id.",
      helpValue: "RELEASE",
      exclusive: ["end", "keep", "no-longer"],
    }),
    end: Flags.string({
      summary: "Delete the preview of this name or release; the release stays.",
      helpValue: "PREVIEW",
    }),
    keep: Flags.string({
      summary: "Keep the preview of this name or release for 30 days after its last change.",
      helpValue: "PREVIEW",
      exclusive: ["end", "no-longer"],
    }),
    "no-longer": Flags.string({
      summary: "Let the preview of this name or release expire as others do.",
      helpValue: "PREVIEW",
      exclusive: ["end"],
    }),
  };

  async run() {
    const { flags } = await this.parse(Previews);
    const slug = await this.slugOf(flags.project);
    const { client } = await this.connectTo({ slug }, flags.api);
    if (flags.open !== undefined) await this.#open(client, slug, flags.open);
    if (flags.end !== undefined) await this.#end(client, { slug, preview: flags.end });
    const called = flags.keep ?? flags["no-longer"];
    if (called !== undefined)
      await client.call("PATCH /projects/:slug/previews/:preview", {
        params: { slug, preview: called },
        body: { kept: flags.keep !== undefined },
      });
    const { previews } = await client.call("GET /projects/:slug/previews", { params: { slug } });
    if (previews.length > 0)
      this.sayColumns(
        ["NAME", "RELEASE", "EXPIRES (UTC)", "MESSAGE"],
        previews.map(({ name, release, url, expires_at }) => ({
          cells: [name ?? "", nameOfRelease(release), minute(expires_at), release.message ?? ""],
          ...(url !== null && { below: url }),
        })),
      );
    else if (flags.end === undefined) this.say(`${slug} has no previews. Open one: svc publish --preview`);
    return { project: slug, previews };
  }

  async #open(client: Client, slug: string, release: string) {
    const id = await idOfRelease(client, slug, release);
    const made = await activatePreview(client, { slug, id });
    if (made.edge === "waiting") this.note(notSeenYet);
  }

  async #end(client: Client, params: { readonly slug: string; readonly preview: string }) {
    const end = async () => (await client.call("DELETE /projects/:slug/previews/:preview", { params })).edge;
    const first = await end();
    this.say(`The preview ${params.preview} of ${params.slug} is deleted.`);
    if ((await untilEdgeHasIt(first, end)) === "waiting") this.note(stillPlayed);
  }
}
