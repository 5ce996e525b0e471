import * as Args from "@oclif/core/args";
import { ApiCommand, example, projectFlag } from "../command.ts";

export class Withdraw extends ApiCommand {
  static override summary = "Open the dashboard, where you delete an earlier release.";
  static override description =
    "For a release that nobody should have any more, such as one with a secret in it. Publish another release or roll back " +
    "first: the live one cannot be deleted. It is for good, so that no token may do it, and no CI job. Prints the URL of the " +
    "project's page, and opens it if there is a screen.";
  static override examples = [example("Delete a release that svc releases shows", "0Vx3mGk8cW2bT7qLr9Zs4A")];
  static override args = {
    release: Args.string({ ignoreStdin: true, required: true, description: "The release, as svc releases shows it." }),
  };
  static override flags = projectFlag;

  async run() {
    const { args, flags } = await this.parse(Withdraw);
    const slug = await this.slugOf(flags.project);
    this.say(`Choose release ${args.release} of ${slug} there, and Delete release.`);
    return { release: args.release, ...(await this.showProject(flags.api, slug)) };
  }
}
