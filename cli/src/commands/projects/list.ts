import { ApiCommand } from "../../command.ts";
import { printable, table } from "../../text.ts";

export class ProjectsList extends ApiCommand {
  static override summary = "List your projects.";
  static override description = "A token that is narrowed to projects sees those alone.";
  static override examples = [{ description: "List them", command: "<%= config.bin %> <%= command.id %>" }];

  async run() {
    const { flags } = await this.parse(ProjectsList);
    const { client } = await this.connect(flags.api);
    const projects = [];
    let cursor: string | undefined;
    do {
      const page = await client.call("listProjects", { query: { cursor } });
      projects.push(...page.projects);
      cursor = page.next_cursor ?? undefined;
    } while (cursor !== undefined);
    if (projects.length === 0) this.say("You have no projects yet. svc projects create makes one.");
    else
      this.say(
        table(
          projects.map(({ slug, name, current_release, play_url }) => [
            slug,
            `${printable(name)}  ${this.style.dim(current_release === null ? "not published yet" : `live: ${play_url ?? current_release.id}`)}`,
          ]),
          this.style.bold,
        ),
      );
    return { projects };
  }
}
