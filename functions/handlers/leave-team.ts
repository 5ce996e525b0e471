import * as contract from "../../contract/api/projects/members.ts";
import { endInTeam } from "../domain/projects/team.ts";
import { removedView } from "../http/member-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.leaveTeam, async ({ caller, query, receivedAt }) => {
  const { uid, owner, projects, publishers } = query;
  const removal = { keepsProjects: projects === "keep", removesPublishers: publishers === "remove" };
  return response(200, removedView(await endInTeam(caller, { uid, owner, ...removal }, receivedAt)));
});
