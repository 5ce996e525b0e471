import { response } from "../../../functions/http/response.ts";
import { serve } from "../../../functions/http/serve.ts";
import * as contract from "../contract/webhooks.ts";
import { deliveryView } from "../functions/webhook-views.ts";
import { listDeliveries } from "../functions/webhooks.ts";

export const handler = serve(contract.listDeliveries, async ({ caller, params: { id } }) =>
  response(200, { deliveries: (await listDeliveries(caller.project, id)).map(deliveryView) }),
);
