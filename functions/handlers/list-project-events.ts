import * as contract from "../../contract/api/projects/members.ts";
import { listProjectEvents } from "../domain/projects/members.ts";
import { projectEventView } from "../http/member-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.listProjectEvents, async ({ caller, query }) => {
  const { events, nextCursor } = await listProjectEvents(caller, query);
  return response(200, { events: events.map(projectEventView), next_cursor: nextCursor });
});
