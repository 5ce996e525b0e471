import { publishRelease as route } from "../../contract/releases.ts";
import { publishRelease } from "../domain/publishing.ts";
import { publishedView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(route, async ({ caller: { project, token }, params: { id }, body, receivedAt }) => {
  const publication = { releaseId: id, expectCurrent: body.expect_current, tokenId: token?.id };
  return response(200, publishedView(await publishRelease(project, publication, receivedAt)));
});
