import * as contract from "../../contract/api/releases/previews.ts";
import { updatePreview } from "../domain/projects/previews.ts";
import { viewerOf } from "../domain/releases/viewer.ts";
import { previewView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.updatePreview, async ({ caller, params, body, receivedAt }) => {
  const request = { called: params.preview, isKept: body.kept };
  const { edge, ...updated } = await updatePreview(caller, request, receivedAt);
  const viewer = await viewerOf(caller, [updated.release]);
  return response(200, { preview: previewView(updated, caller.project, viewer), edge });
});
