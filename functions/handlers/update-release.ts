import * as contract from "../../contract/api/releases/releases.ts";
import { editMessage } from "../domain/releases/editing.ts";
import { viewerOf } from "../domain/releases/viewer.ts";
import { releaseView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.updateRelease, async ({ caller, params: { id }, body, receivedAt }) => {
  const release = await editMessage(caller, id, body.message || undefined, receivedAt);
  return response(200, releaseView(release, caller.project, await viewerOf(caller, [release])));
});
