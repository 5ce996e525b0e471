import { listEvents as route } from "../../contract/accounts.ts";
import { listEvents } from "../domain/accounts.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";
import { eventView } from "../http/views.ts";

export const handler = serve(route, async ({ caller: { account }, query }) => {
  const { events, nextCursor } = await listEvents(account.key, query);
  return response(200, { events: events.map(eventView), next_cursor: nextCursor });
});
