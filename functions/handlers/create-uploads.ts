import * as contract from "../../contract/api/releases/uploads.ts";
import { createUploads } from "../domain/releases/uploads.ts";
import { uploadsView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.createUploads, async ({ caller, params: { id }, body: { sha256 }, receivedAt }) =>
  response(200, uploadsView(await createUploads(caller, { releaseId: id, hashes: sha256 }, receivedAt))),
);
