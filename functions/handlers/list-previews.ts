import * as contract from "../../contract/api/releases/previews.ts";
import { listPreviews } from "../domain/projects/previews.ts";
import { viewerOf } from "../domain/releases/viewer.ts";
import { previewView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.listPreviews, async ({ caller, receivedAt }) => {
  const { project } = caller;
  const previews = await listPreviews(caller, receivedAt);
  const releases = previews.map(({ release }) => release);
  const viewer = await viewerOf(caller, releases);
  return response(200, { previews: previews.map((each) => previewView(each, project, viewer)) });
});
