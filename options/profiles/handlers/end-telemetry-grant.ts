import { response } from "../../../functions/http/response.ts";
import { serve } from "../../../functions/http/serve.ts";
import * as contract from "../contract/telemetry.ts";
import { endTelemetryGrant } from "../functions/telemetry-grants.ts";

export const handler = serve(contract.endTelemetryGrant, async ({ caller, params: { id }, receivedAt }) => {
  await endTelemetryGrant(caller, id, receivedAt);
  return response(204, undefined);
});
