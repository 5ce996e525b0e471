import * as contract from "../../contract/api/projects/publishers.ts";
import { createPublisher } from "../domain/publishers/publishers.ts";
import { publisherView, trustedJobs } from "../http/publisher-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.createPublisher, async ({ caller, body, receivedAt }) =>
  response(200, publisherView(await createPublisher(caller, trustedJobs(body), receivedAt))),
);
