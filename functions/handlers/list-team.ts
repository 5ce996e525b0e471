import * as contract from "../../contract/api/projects/members.ts";
import { listTeam } from "../domain/projects/team.ts";
import { teamView } from "../http/member-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.listTeam, async ({ caller, receivedAt }) =>
  response(200, teamView(await listTeam(caller, receivedAt))),
);
