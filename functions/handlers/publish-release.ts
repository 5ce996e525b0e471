import * as contract from "../../contract/api/releases/releases.ts";
import { publishRelease } from "../domain/releases/publishing.ts";
import { viewerOf } from "../domain/releases/viewer.ts";
import { publishedView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.publishRelease, async ({ caller, params: { id }, body, receivedAt }) => {
  const publication = { releaseId: id, expectCurrent: body.expect_current };
  const published = await publishRelease(caller, publication, receivedAt);
  return response(200, publishedView(published, await viewerOf(caller, [published.release])));
});
