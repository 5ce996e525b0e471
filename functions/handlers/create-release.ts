import * as contract from "../../contract/releases.ts";
import { openRelease } from "../domain/releases/releases.ts";
import { openedReleaseView, releaseRequest } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.createRelease, async ({ caller, body, receivedAt }) => {
  const opened = await openRelease(caller, releaseRequest(body), receivedAt);
  return response(opened.created ? 201 : 200, openedReleaseView(opened, caller.project, caller.account));
});
