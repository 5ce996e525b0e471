import { ApiCommand, example, projectArg, projectFlag } from "../command.ts";

export class Leave extends ApiCommand {
  static override summary = "Open the page on which you leave a project.";
  static override description =
    "You leave it in the dashboard, since no token may change the members of a project. Its owner cannot leave: svc invite UID --role " +
    "owner hands it over.";
  static override examples = [example("The project in svc.toml"), example("Another", "my-game")];
  static override args = projectArg;
  static override flags = projectFlag;

  async run() {
    const { args, flags } = await this.parse(Leave);
    return await this.showProject(flags.api, await this.slugOf(args.slug ?? flags.project, "name it"));
  }
}
