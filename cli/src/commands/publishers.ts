import * as Args from "@oclif/core/args";
import { ApiCommand, example, projectFlag } from "../command.ts";
import { publisherLine } from "../publisher-lines.ts";

export class Publishers extends ApiCommand {
  static override summary = "List the CI jobs that may publish a project.";
  static override description =
    "They publish with their identity, without a stored token. Jobs are recognised by numbers that are never given out again, and by " +
    "the file that they are written in. A refused job prints what to add. You add and remove them in the dashboard: no token may do that, " +
    "so a token that leaks leaves nothing behind that still publishes once it is revoked.";
  static override examples = [example("Those of the project in svc.toml"), example("Add some in the dashboard", "add")];
  static override args = {
    action: Args.string({ ignoreStdin: true, options: ["list", "add"], default: "list", description: "What to do." }),
  };
  static override flags = projectFlag;

  async run() {
    const { args, flags } = await this.parse(Publishers);
    const slug = await this.slugOf(flags.project);
    if (args.action === "add") return await this.showProject(flags.api, slug);
    const { client } = await this.connect(flags.api);
    const { publishers } = await client.call("GET /projects/:slug/publishers", { params: { slug } });
    if (publishers.length === 0) this.say(`No CI job may publish ${slug}. Add some: svc publishers add`);
    for (const publisher of publishers) this.say(publisherLine(publisher));
    return { project: slug, publishers };
  }
}
