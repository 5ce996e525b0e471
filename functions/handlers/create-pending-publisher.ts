import * as contract from "../../contract/api/projects/publishers.ts";
import { createPendingPublisher } from "../domain/publishers/pending-publishers.ts";
import { pendingPublisherView, trustedJobs } from "../http/publisher-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.createPendingPublisher, async ({ caller: { account }, body, receivedAt }) => {
  const asked = { slug: body.project, jobs: trustedJobs(body.publisher) };
  return response(200, pendingPublisherView(await createPendingPublisher(account, asked, receivedAt), account));
});
