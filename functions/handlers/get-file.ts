import * as contract from "../../contract/api/releases/releases.ts";
import { findLiveFile } from "../domain/releases/live-files.ts";
import { fileResponse } from "../http/file-response.ts";
import { serveOpen } from "../http/serve-open.ts";

export const handler = serveOpen(contract.getFile, async ({ params: { slug, path }, headers, receivedAt }) =>
  fileResponse(
    await findLiveFile(slug, { path, hasOrigin: headers["origin"] !== undefined }, receivedAt),
    headers["if-none-match"],
  ),
);
