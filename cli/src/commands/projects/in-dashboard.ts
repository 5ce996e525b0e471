import * as Args from "@oclif/core/args";
import { ApiCommand } from "../../command.ts";

/** Of each class itself, because oclif reads no inherited ones. */
const args = {
  slug: Args.string({ ignoreStdin: true, description: "The project; default: project in svc.toml." }),
};

/** What only a person may do who is signed in: no token can. These commands lead to the page where it is done. */
abstract class DashboardCommand extends ApiCommand {
  /** @param sentence what is done on the page */
  protected async lead(slug: string | undefined, api: string | undefined, sentence: string) {
    const { findProject } = await import("../../project.ts");
    const project = findProject(slug, "name it");
    this.say(sentence);
    return { project: project.slug, ...(await this.showInDashboard(api, `/projects/${project.slug}`)) };
  }
}

const why = "No token may do this, so that a stolen one cannot: ";

export class ProjectsDelete extends DashboardCommand {
  static override args = args;
  static override summary = "Open the dashboard where you delete a project.";
  static override description = `${why}you are asked to sign in. A deleted project can be restored for 7 days.`;
  static override examples = [
    { description: "The project in svc.toml", command: "<%= config.bin %> <%= command.id %>" },
    { description: "Another", command: "<%= config.bin %> <%= command.id %> my-game" },
  ];

  async run() {
    const parsed = await this.parse(ProjectsDelete);
    return await this.lead(
      parsed.args.slug,
      parsed.flags.api,
      "Delete it at the end of its page, signed in to the dashboard:",
    );
  }
}

export class ProjectsRestore extends DashboardCommand {
  static override args = args;
  static override summary = "Open the dashboard where you restore a deleted project.";
  static override description = `${why}you are asked to sign in. svc projects list says until when it can be restored.`;
  static override examples = [
    { description: "A project that you deleted", command: "<%= config.bin %> <%= command.id %> my-game" },
  ];

  async run() {
    const parsed = await this.parse(ProjectsRestore);
    return await this.lead(parsed.args.slug, parsed.flags.api, "Restore it on its page, signed in to the dashboard:");
  }
}
