import * as contract from "../../contract/api/releases/uploads.ts";
import { continueUpload } from "../domain/releases/parts.ts";
import { partUploadsView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(
  contract.continueUpload,
  async ({ caller, params: { id, sha256 }, body: { parts, bytes_per_part: bytesPerPart, copies }, receivedAt }) =>
    response(
      200,
      partUploadsView(await continueUpload(caller, { releaseId: id, sha256, parts, bytesPerPart, copies }, receivedAt)),
    ),
);
