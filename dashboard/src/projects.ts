import type { Api } from "./api.ts";
import type { Project } from "./resources.ts";

/** All projects of the person: their own, and the active ones that they are a member of. */
export async function allProjects(
  api: Api,
  state: "active" | "deleted" = "active",
  cursor?: string,
): Promise<readonly Project[]> {
  if (!api.mayBeDeveloper) return [];
  const page = await api.call("GET /projects", { query: { state, cursor } });
  return page.next_cursor === null
    ? page.projects
    : [...page.projects, ...(await allProjects(api, state, page.next_cursor))];
}
