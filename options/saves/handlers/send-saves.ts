import { response } from "../../../functions/http/response.ts";
import { serveOpen } from "../../../functions/http/serve-open.ts";
import * as contract from "../contract/saves-links.ts";
import { makeLink } from "../functions/saves-links.ts";

export const handler = serveOpen(contract.sendSaves, async ({ params, body, receivedAt }) => {
  const sealed = { sizeBytes: body.size_bytes, sha256: body.sha256 };
  const { id, expiresAt, upload } = await makeLink(params.site, sealed, receivedAt);
  return response(200, { id, expires_at: expiresAt.toISOString(), upload });
});
