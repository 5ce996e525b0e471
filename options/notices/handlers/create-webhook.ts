import { created } from "../../../functions/http/response.ts";
import { serve } from "../../../functions/http/serve.ts";
import * as contract from "../contract/webhooks.ts";
import { webhookView } from "../functions/webhook-views.ts";
import { createWebhook } from "../functions/webhooks.ts";

export const handler = serve(contract.createWebhook, async ({ caller, body, receivedAt }) => {
  const { webhook, secret } = await createWebhook(caller, body.url, receivedAt);
  return created(`/projects/${caller.project.slug}/webhooks`, { webhook: webhookView(webhook), secret });
});
