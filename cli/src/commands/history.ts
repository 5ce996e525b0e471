import { ApiCommand, example, limitFlag, projectFlag } from "../command.ts";
import { eventRow } from "../event-lines.ts";

export class History extends ApiCommand {
  static override summary = "List who did what in a project, newest first.";
  static override description =
    "Releases, settings, members and the CI jobs that may publish, as the project's page in the dashboard shows them; an event is kept for 400 days. " +
    "Needs a token with the scope projects. Times are in UTC.";
  static override examples = [
    example("That of the project in svc.toml"),
    example("The last three events of another project", "--project my-game --limit 3"),
  ];
  static override flags = { ...projectFlag, ...limitFlag };

  async run() {
    const { flags } = await this.parse(History);
    const slug = await this.slugOf(flags.project);
    const { client } = await this.connect(flags.api);
    const query = { limit: String(flags.limit) };
    const { events } = await client.call("GET /projects/:slug/events", { params: { slug }, query });
    this.sayColumns(["WHEN (UTC)", "WHAT HAPPENED"], events.map(eventRow));
    return { project: slug, events };
  }
}
