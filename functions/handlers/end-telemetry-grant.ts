import * as contract from "../../contract/api/profiles/telemetry.ts";
import { endTelemetryGrant } from "../domain/profiles/telemetry-grants.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.endTelemetryGrant, async ({ caller, params: { id }, receivedAt }) => {
  await endTelemetryGrant(caller, id, receivedAt);
  return response(204, undefined);
});
