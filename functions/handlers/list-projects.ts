import * as contract from "../../contract/api/projects/projects.ts";
import { listProjects } from "../domain/projects/projects.ts";
import { recentPlays } from "../domain/projects/recent-plays.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { ownedProjectView } from "../http/views.ts";

export const handler = serve(contract.listProjects, async ({ caller, query, receivedAt }) => {
  const { projects, nextCursor } = await listProjects(caller, query);
  return response(200, {
    projects: projects.map((project) => ownedProjectView(project, caller.account)),
    plays: await recentPlays(projects, receivedAt),
    next_cursor: nextCursor,
  });
});
