import * as contract from "../../contract/api/releases/releases.ts";
import { listFiles } from "../domain/releases/files.ts";
import { filesView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.listFiles, async ({ caller, params: { id }, query, receivedAt }) => {
  const { folder, limit, cursor } = query;
  return response(200, filesView(await listFiles(caller, { releaseId: id, folder, limit, cursor }, receivedAt)));
});
