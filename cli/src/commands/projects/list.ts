import { serverNow } from "../../../../contract/api/time/server-time.ts";
import type { Client, ResponseBody } from "../../../../contract/client.ts";
import type { Row } from "../../columns.ts";
import { ApiCommand, example } from "../../command.ts";
import { UserError } from "../../errors.ts";
import { humanBytes, minute } from "../../text.ts";

export class ProjectsList extends ApiCommand {
  static override summary = "List your projects, and those of which you are a member.";
  static override description =
    "A token for certain projects lists only those. Deleted projects that can be restored are named below the list.";
  static override examples = [example("List them")];

  async run() {
    const { flags } = await this.parse(ProjectsList);
    const { client } = await this.connect(flags.api);
    const [projects, deleted] = await Promise.all([allProjects(client, "active"), deletedProjects(client)]);
    if (projects.length === 0) this.say("You have no projects yet. Create one: svc projects create");
    else this.sayColumns(["PROJECT", "ROLE", "LIVE SINCE (UTC)", "STORED", "NAME"], projects.map(rowOf));
    for (const project of deleted) this.say(restorable(project));
    return { projects, deleted };
  }
}

type Project = ResponseBody<"listProjects">["projects"][number];

function rowOf({ slug, name, role, current_release, play_url, suspension, storage }: Project): Row {
  const live = current_release === null ? "not live" : minute(current_release.published_at);
  const stored = humanBytes(storage?.bytes ?? 0);
  const below = suspension ? `suspended since ${minute(suspension.at)}` : current_release && play_url;
  return { cells: [slug, role ?? "", live, stored, name], ...(below && { below }) };
}

/** The most projects of an account. An API that sends more pages than that is broken. */
const maxPages = 50;

/** The caller's deleted projects that can be restored. */
export async function deletedProjects(client: Client): Promise<Project[]> {
  const projects = await allProjects(client, "deleted");
  return projects.filter(({ deletion }) => deletion && Date.parse(deletion.restorable_until) > serverNow());
}

/** Sentence about a deleted project: until when it can be restored. */
export function restorable({ slug, deletion }: Project): string {
  return `${slug} was deleted; you can restore it in the dashboard until ${minute(deletion?.restorable_until ?? "")} UTC.`;
}

async function allProjects(client: Client, state: "active" | "deleted"): Promise<Project[]> {
  const projects: Project[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= maxPages; page += 1) {
    const { projects: some, next_cursor } = await client.call("GET /projects", { query: { state, cursor } });
    projects.push(...some);
    if (next_cursor === null) return projects;
    cursor = next_cursor;
  }
  throw new UserError(`The list of projects of ${client.api.origin} does not end.`, {
    code: "unexpected_response",
    next: "Check the API URL (--api or SVC_API), and report this to the operator of the API.",
  });
}
