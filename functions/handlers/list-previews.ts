import * as contract from "../../contract/api/previews.ts";
import { listPreviews } from "../domain/projects/previews.ts";
import { previewView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.listPreviews, async ({ caller: { project, account }, receivedAt }) => {
  const previews = await listPreviews(project, receivedAt);
  return response(200, { previews: previews.map((each) => previewView(each, project, account)) });
});
