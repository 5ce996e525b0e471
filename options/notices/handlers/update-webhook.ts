import { response } from "../../../functions/http/response.ts";
import { serve } from "../../../functions/http/serve.ts";
import * as contract from "../contract/webhooks.ts";
import { webhookView } from "../functions/webhook-views.ts";
import { updateWebhook } from "../functions/webhooks.ts";

export const handler = serve(contract.updateWebhook, async ({ caller, params: { id }, body, receivedAt }) =>
  response(200, webhookView(await updateWebhook(caller, id, body, receivedAt))),
);
