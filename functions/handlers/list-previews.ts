import * as contract from "../../contract/api/previews.ts";
import { listPreviews } from "../domain/projects/previews.ts";
import { ownerOf, previewView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.listPreviews, async ({ caller, receivedAt }) => {
  const { project } = caller;
  const previews = await listPreviews(project, receivedAt);
  return response(200, { previews: previews.map((each) => previewView(each, project, ownerOf(caller))) });
});
