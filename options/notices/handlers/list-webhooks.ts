import { response } from "../../../functions/http/response.ts";
import { serve } from "../../../functions/http/serve.ts";
import * as contract from "../contract/webhooks.ts";
import { webhookView } from "../functions/webhook-views.ts";
import { listWebhooks } from "../functions/webhooks.ts";

export const handler = serve(contract.listWebhooks, async ({ caller }) =>
  response(200, { webhooks: (await listWebhooks(caller.project)).map(webhookView) }),
);
