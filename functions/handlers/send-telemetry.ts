import * as contract from "../../contract/api/profiles/telemetry.ts";
import { sendTelemetry } from "../domain/profiles/profiles.ts";
import { response } from "../http/response.ts";
import { serveGrant } from "../http/serve-grant.ts";

export const handler = serveGrant(contract.sendTelemetry, async ({ raw, body, headers, receivedAt }) => {
  const { received, bytesLeft } = await sendTelemetry({ raw, origin: headers["origin"] }, body, receivedAt);
  return response(200, { received, bytes_left: bytesLeft });
});
