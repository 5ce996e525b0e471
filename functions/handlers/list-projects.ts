import * as contract from "../../contract/api/projects.ts";
import { listProjects } from "../domain/projects/projects.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { ownedProjectView } from "../http/views.ts";

export const handler = serve(contract.listProjects, async ({ caller, query }) => {
  const { projects, nextCursor } = await listProjects(caller, query);
  return response(200, {
    projects: projects.map((project) => ownedProjectView(project, caller.account)),
    next_cursor: nextCursor,
  });
});
