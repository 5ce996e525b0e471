import type { Client } from "../../client.ts";
import { ApiCommand } from "../../command.ts";
import { UserError } from "../../errors.ts";
import { printable, table } from "../../text.ts";

export class ProjectsList extends ApiCommand {
  static override summary = "List your projects.";
  static override description = "A token for certain projects lists only those.";
  static override examples = [{ description: "List them", command: "<%= config.bin %> <%= command.id %>" }];

  async run() {
    const { flags } = await this.parse(ProjectsList);
    const { client } = await this.connect(flags.api);
    const projects = await allProjects(client);
    if (projects.length === 0) this.say("You have no projects yet. Create one: svc projects create");
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

/** No account has so many projects: an API that sends more pages is broken. */
const mostPages = 100;

async function allProjects(client: Client) {
  const projects = [];
  let cursor: string | undefined;
  for (let page = 1; page <= mostPages; page += 1) {
    const { projects: some, next_cursor } = await client.call("listProjects", { query: { cursor } });
    projects.push(...some);
    if (next_cursor === null) return projects;
    cursor = next_cursor;
  }
  throw new UserError(`The list of projects of ${client.api.origin} does not end.`, {
    code: "unexpected_answer",
    next: "Check the API URL (--api or SVC_API), and report this to the operator of the API.",
  });
}
