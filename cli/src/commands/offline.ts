import * as Flags from "@oclif/core/flags";
import { untilEdgeHasIt } from "../../../publisher/going-live.ts";
import { ApiCommand, example, projectArg, projectFlag } from "../command.ts";
import { expectedRelease, stillPlayed } from "../publish/going-live.ts";

export class Offline extends ApiCommand {
  static override hiddenAliases = ["projects:unpublish"];
  static override summary = "Take a project offline: no release is live then.";
  static override description =
    "Every release is kept, and svc live RELEASE makes one of them live again. Asks first on a terminal.";
  static override examples = [example("The project in svc.toml"), example("Another", "my-game")];
  static override args = projectArg;
  static override flags = {
    ...projectFlag,
    "expect-current": Flags.string({
      summary: "Only if RELEASE is live now (any: do not check). Default: the release that is live when svc looks.",
      helpValue: "RELEASE",
    }),
  };

  async run() {
    const { args, flags } = await this.parse(Offline);
    const slug = await this.slugOf(args.slug ?? flags.project, "name it");
    const { client } = await this.connect(flags.api);
    const compared = await expectedRelease(client, slug, flags["expect-current"]);
    if (await this.isDeclined(`Take ${slug} offline? Nobody can play it then.`))
      return { project: slug, unpublished: false };
    const unpublish = async (expected: string | null | undefined) => {
      const body = expected === undefined ? {} : { expect_current: expected };
      return (await client.call("POST /projects/:slug/unpublish", { params: { slug }, body })).edge;
    };
    const first = await unpublish(compared);
    this.say(`No release of ${slug} is live. svc releases shows them, and svc live RELEASE makes one live again.`);
    // The request expects that none is live, so that a retry never takes off what somebody has published meanwhile.
    const edge = await untilEdgeHasIt(first, () => unpublish(null));
    if (edge === "waiting") this.note(stillPlayed);
    return { project: slug, unpublished: true, edge };
  }
}
