import * as contract from "../../contract/api/releases/releases.ts";
import { changeBy } from "../domain/authentication.ts";
import { viewerOf } from "../domain/releases/viewer.ts";
import { withdrawRelease } from "../domain/releases/withdrawal.ts";
import { releaseView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.withdrawRelease, async ({ caller, params: { id }, receivedAt }) => {
  const { release, edge } = await withdrawRelease(caller.project, id, changeBy(caller, receivedAt));
  return response(200, { ...releaseView(release, caller.project, await viewerOf(caller, [release])), edge });
});
