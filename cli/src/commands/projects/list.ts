import type { Client, ResponseTo } from "../../client.ts";
import { ApiCommand } from "../../command.ts";
import { UserError } from "../../errors.ts";
import { humanBytes, printable, table } from "../../text.ts";

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
          projects.map((project) => [
            project.slug,
            `${printable(project.name)}  ${this.style.dim([stateOf(project), ...sizeOf(project)].join(", "))}`,
          ]),
          this.style.bold,
        ),
      );
    return { projects };
  }
}

type Project = ResponseTo<"listProjects">["projects"][number];

function stateOf({ current_release, play_url }: Project): string {
  return current_release === null ? "not published yet" : `live: ${play_url ?? current_release.id}`;
}

/** An older API does not tell how much is stored. */
function sizeOf({ storage }: Partial<Pick<Project, "storage">>): string[] {
  return storage ? [`${humanBytes(storage.bytes)} stored`] : [];
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
