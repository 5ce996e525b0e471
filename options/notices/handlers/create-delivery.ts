import { response } from "../../../functions/http/response.ts";
import { serve } from "../../../functions/http/serve.ts";
import * as contract from "../contract/webhooks.ts";
import { deliveryView } from "../functions/webhook-views.ts";
import { createDelivery } from "../functions/webhooks.ts";

export const handler = serve(contract.createDelivery, async ({ caller, params: { id }, body, receivedAt }) =>
  response(200, deliveryView(await createDelivery(caller.project, id, body.delivery, receivedAt))),
);
