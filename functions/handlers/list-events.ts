import * as contract from "../../contract/api/accounts/accounts.ts";
import { listEvents } from "../domain/accounts/accounts.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { eventView } from "../http/views.ts";

export const handler = serve(contract.listEvents, async ({ caller: { account }, query }) => {
  const { events, nextCursor } = await listEvents(account, query);
  return response(200, { events: events.map(eventView), next_cursor: nextCursor });
});
