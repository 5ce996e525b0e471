import { ApiCommand, example, projectArg, projectFlag } from "../../command.ts";

/*
 * Actions that only a person who is signed in may do: these commands lead to the page where each is done.
 */

const why = "No token may do this, so that a stolen one cannot: ";

export class ProjectsDelete extends ApiCommand {
  static override args = projectArg;
  static override flags = projectFlag;
  static override summary = "Open the dashboard where you delete a project.";
  static override description = `${why}you are asked to sign in. A deleted project can be restored for 7 days.`;
  static override examples = [example("The project in svc.toml"), example("Another", "my-game")];

  async run() {
    const { args, flags } = await this.parse(ProjectsDelete);
    const slug = await this.slugOf(args.slug ?? flags.project, "name it");
    this.say("Delete it at the end of its page, signed in to the dashboard:");
    return await this.showProject(flags.api, slug);
  }
}

export class ProjectsRestore extends ApiCommand {
  static override args = projectArg;
  static override flags = projectFlag;
  static override summary = "Open the dashboard where you restore a deleted project.";
  static override description = `${why}you are asked to sign in. svc projects list says until when it can be restored.`;
  static override examples = [example("A project that you deleted", "my-game")];

  async run() {
    const { args, flags } = await this.parse(ProjectsRestore);
    const slug = await this.slugOf(args.slug ?? flags.project, "name it");
    this.say("Restore it on its page, signed in to the dashboard:");
    return await this.showProject(flags.api, slug);
  }
}
