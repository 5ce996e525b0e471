import * as Args from "@oclif/core/args";
import * as Flags from "@oclif/core/flags";
import { ApiCommand, example } from "../../command.ts";
import { usageError } from "../../errors.ts";
import { checkSlug } from "../../slug.ts";

export class ProjectsCreate extends ApiCommand {
  static override summary = "Create a project.";
  static override description =
    "A project's address is its name in URLs: 3 to 40 of a-z, 0-9 and -, unique in the service. Needs a token with the scope projects.";
  static override examples = [
    example("Create the project that svc.toml names"),
    example("Create another", 'my-game --name "My Game"'),
  ];
  static override args = {
    slug: Args.string({ ignoreStdin: true, description: "The address; default: project in svc.toml." }),
  };
  static override flags = {
    name: Flags.string({ summary: "The name that people see; default: the address.", helpValue: "NAME" }),
    description: Flags.string({ summary: "A description for players.", helpValue: "TEXT" }),
  };

  async run() {
    const { args, flags } = await this.parse(ProjectsCreate);
    const { findProjectFile } = await import("../../project-file.ts");
    const slug = args.slug ?? findProjectFile(process.cwd())?.content.project;
    if (slug === undefined)
      throw usageError("The address is missing, and no svc.toml here names one.", {
        code: "no_project",
        next: "svc projects create ADDRESS",
      });
    checkSlug(slug, "svc projects create");
    const { client } = await this.connect(flags.api);
    const project = await client.call("POST /projects", {
      creates: true,
      body: {
        slug,
        ...(flags.name !== undefined && { name: flags.name }),
        ...(flags.description !== undefined && { description: flags.description }),
      },
    });
    this.say(`Created project ${project.slug}.`);
    return project;
  }
}
