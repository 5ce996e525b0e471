import * as contract from "../../contract/api/projects/publishers.ts";
import { deletePublisher } from "../domain/publishers/publishers.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.deletePublisher, async ({ caller, params: { id }, receivedAt }) => {
  await deletePublisher(caller, id, receivedAt);
  return response(204, undefined);
});
