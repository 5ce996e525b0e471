import { response } from "../../../functions/http/response.ts";
import * as contract from "../contract/telemetry.ts";
import { sendTelemetry } from "../functions/profiles.ts";
import { serveGrant } from "../functions/serve-grant.ts";

export const handler = serveGrant(contract.sendTelemetry, async ({ raw, body, headers, receivedAt }) => {
  const { received, bytesLeft } = await sendTelemetry({ raw, origin: headers["origin"] }, body, receivedAt);
  return response(200, { received, bytes_left: bytesLeft });
});
