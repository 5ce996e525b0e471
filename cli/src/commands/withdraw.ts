import * as Args from "@oclif/core/args";
import type { Client } from "../client.ts";
import { ApiCommand, projectFlag } from "../command.ts";
import { stillPlayed, untilEdgeHasIt } from "../publish/going-live.ts";

export class Withdraw extends ApiCommand {
  static override summary = "Take an earlier release from the visits that began with it.";
  static override description =
    "For a release that nobody should have any more, such as one with a secret in it. Publish another release or roll back " +
    "first: the live one cannot be withdrawn. Visits that began with it get the live release's files from then on. It cannot " +
    "go live again, the same files cannot be published again for a while, and the service deletes them within a day or two. " +
    "Asks first on a terminal.";
  static override examples = [
    {
      description: "Withdraw a release that svc releases shows",
      command: "<%= config.bin %> <%= command.id %> 0Vx3mGk8cW2bT7qLr9Zs4A",
    },
  ];
  static override args = {
    release: Args.string({ ignoreStdin: true, required: true, description: "The release, as svc releases shows it." }),
  };
  static override flags = projectFlag;

  async run() {
    const { args, flags } = await this.parse(Withdraw);
    const { findProject } = await import("../project.ts");
    const { slug } = findProject(flags.project);
    const { client } = await this.connect(flags.api);
    const params = { slug, id: args.release };
    if (this.canAsk() && !(await this.#isWanted(client, params))) {
      this.say("Nothing was changed.");
      return { project: slug, release: null };
    }
    const withdraw = async () => await client.call("withdrawRelease", { params });
    const { edge: first, ...release } = await withdraw();
    this.say(
      `Release ${release.id} of ${slug} is withdrawn. A secret that it had must still be changed where it is used.`,
    );
    const edge = await untilEdgeHasIt(first, async () => (await withdraw()).edge);
    if (edge === "waiting") this.note(stillPlayed);
    return { project: slug, release, edge };
  }

  async #isWanted(client: Client, params: { slug: string; id: string }): Promise<boolean> {
    const { releaseInWords } = await import("../release-lines.ts");
    const { confirm } = await import("../question.ts");
    const release = await client.call("getRelease", { params });
    return await confirm(`Withdraw ${releaseInWords(release)} of ${params.slug} for good? It can never be live again.`);
  }
}
