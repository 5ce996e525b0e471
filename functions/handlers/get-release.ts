import * as contract from "../../contract/api/releases/releases.ts";
import { findVisible } from "../domain/releases/releases.ts";
import { viewerOf } from "../domain/releases/viewer.ts";
import { releaseView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.getRelease, async ({ caller, params: { id }, receivedAt }) => {
  const release = await findVisible(caller, id, receivedAt);
  return response(200, releaseView(release, caller.project, await viewerOf(caller, [release])));
});
