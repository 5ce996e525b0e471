import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { ApiCommand } from "../command.ts";

export class Rollback extends ApiCommand {
  static override summary = "Make an earlier release live again.";
  static override description =
    "Takes one step, sends no file, and leaves the release that was live where it can be rolled back to.";
  static override examples = [
    {
      description: "Back to a release that svc releases shows",
      command: "<%= config.bin %> <%= command.id %> 0Vx3mGk8cW2bT7qLr9Zs4A",
    },
  ];
  static override args = {
    release: Args.string({ required: true, ignoreStdin: true, description: "The release, as svc releases shows it." }),
  };
  static override flags = {
    project: Flags.string({ summary: "The project, instead of the one in svc.toml.", helpValue: "SLUG" }),
    "expect-current": Flags.string({ summary: "Only if this release is live now.", helpValue: "RELEASE" }),
  };

  async run() {
    const { args, flags } = await this.parse(Rollback);
    const { findProject } = await import("../project.ts");
    const { slug } = findProject(flags.project);
    const { client } = await this.connect(flags.api);
    const expected = flags["expect-current"];
    const { release, previous_release } = await client.call("publishRelease", {
      params: { slug, id: args.release },
      body: expected === undefined ? {} : { expect_current: expected },
    });
    this.say(
      previous_release === release.id || previous_release === null
        ? `Release ${release.id} of ${slug} is live.`
        : `Release ${release.id} of ${slug} is live again, in place of ${previous_release}.`,
    );
    return { project: slug, release, previous_release };
  }
}
