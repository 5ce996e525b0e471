import * as contract from "../../contract/releases.ts";
import { createRelease } from "../domain/releases/releases.ts";
import { createdReleaseView, releaseRequest } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.createRelease, async ({ caller, body, receivedAt }) => {
  const created = await createRelease(caller, releaseRequest(body), receivedAt);
  return response(created.created ? 201 : 200, createdReleaseView(created, caller.project, caller.account));
});
