import { response } from "../../../functions/http/response.ts";
import { serve } from "../../../functions/http/serve.ts";
import * as contract from "../contract/webhooks.ts";
import { deleteWebhook } from "../functions/webhooks.ts";

export const handler = serve(contract.deleteWebhook, async ({ caller, params: { id }, receivedAt }) => {
  await deleteWebhook(caller, id, receivedAt);
  return response(204, undefined);
});
