import * as contract from "../../contract/api/projects/publishers.ts";
import { listPendingPublishers } from "../domain/publishers/pending-publishers.ts";
import { pendingPublisherView } from "../http/publisher-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.listPendingPublishers, async ({ caller, receivedAt }) => {
  const pending = await listPendingPublishers(caller, receivedAt);
  return response(200, { publishers: pending.map((each) => pendingPublisherView(each, caller.account)) });
});
