import * as contract from "../../contract/api/releases/uploads.ts";
import { unpackFiles } from "../domain/releases/packs.ts";
import { packUploadView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.unpackFiles, async ({ caller, params: { id }, body, receivedAt }) => {
  const { slot, size, sha256 } = body;
  return response(200, packUploadView(await unpackFiles(caller, { releaseId: id, slot, size, sha256 }, receivedAt)));
});
