import { ApiCommand, example, limitFlag, projectFlag } from "../command.ts";

export class Releases extends ApiCommand {
  static override summary = "List the releases of a project, newest first.";
  static override description =
    "live: what visitors see; earlier: was live before, and svc live RELEASE makes it live again; deleted: was live before, and " +
    "cannot be again; open: not finished, and the same svc publish within 7 days continues it; waiting: complete, and a person makes it live " +
    "in the dashboard; scheduled: goes live by itself (svc live --at). Times are in UTC.";
  static override examples = [
    example("The releases of the project in svc.toml"),
    example("The last three of another project", "--project my-game --limit 3"),
  ];
  static override flags = { ...projectFlag, ...limitFlag };

  async run() {
    const { flags } = await this.parse(Releases);
    const slug = await this.slugOf(flags.project);
    const { client } = await this.connectTo({ slug }, flags.api);
    const { releases } = await client.call("GET /projects/:slug/releases", {
      params: { slug },
      query: { limit: String(flags.limit) },
    });
    if (releases.length === 0) this.say(`${slug} has no releases yet. Publish one: svc publish`);
    else {
      const { releaseHeadings, releaseRow } = await import("../release-lines.ts");
      this.sayColumns(releaseHeadings, releases.map(releaseRow));
    }
    return { project: slug, releases };
  }
}
