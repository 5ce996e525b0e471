import * as contract from "../../contract/api/projects/publishers.ts";
import { deletePendingPublisher } from "../domain/publishers/pending-publishers.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.deletePendingPublisher, async ({ caller: { account }, params, receivedAt }) => {
  await deletePendingPublisher(account, params.slug, receivedAt);
  return response(204, undefined);
});
