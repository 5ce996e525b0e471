import * as contract from "../../contract/api/releases/previews.ts";
import { openPreview } from "../domain/projects/previews.ts";
import { viewerOf } from "../domain/releases/viewer.ts";
import { previewView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.openPreview, async ({ caller, params, body, receivedAt }) => {
  const request = { releaseId: params.id, name: body.name, newUrl: body.new_url ?? false };
  const { edge, ...opened } = await openPreview(caller, request, receivedAt);
  const viewer = await viewerOf(caller, [opened.release]);
  return response(200, { preview: previewView(opened, caller.project, viewer), edge });
});
