import { ApiCommand, example, projectFlag } from "../command.ts";
import { publisherLine } from "../publisher-lines.ts";

export class Publishers extends ApiCommand {
  static override summary = "List the CI jobs that may publish a project.";
  static override description =
    "They publish with their identity, without a stored token. Jobs are recognised by numbers that are never given out again, and by " +
    "the file that they are written in. A refused job prints what to add. You add and remove them in the dashboard (svc open publishers): no token may do that, " +
    "so a token that leaks leaves nothing behind that still publishes once it is revoked.";
  static override examples = [example("Those of the project in svc.toml"), example("Another", "-p my-game")];
  static override flags = projectFlag;

  async run() {
    const { flags } = await this.parse(Publishers);
    const slug = await this.slugOf(flags.project);
    const { client } = await this.connect(flags.api);
    const { publishers } = await client.call("GET /projects/:slug/publishers", { params: { slug } });
    if (publishers.length === 0) this.say(`No CI job may publish ${slug}. Add some: svc open publishers -p ${slug}`);
    for (const publisher of publishers) this.say(publisherLine(publisher));
    return { project: slug, publishers };
  }
}
