import * as contract from "../../contract/api/previews.ts";
import { openPreview } from "../domain/projects/previews.ts";
import { ownerOf, previewView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.openPreview, async ({ caller, params: { id }, receivedAt }) => {
  const { edge, ...opened } = await openPreview(caller, id, receivedAt);
  return response(200, { preview: previewView(opened, caller.project, ownerOf(caller)), edge });
});
