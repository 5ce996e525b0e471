import * as contract from "../../contract/api/releases/releases.ts";
import { findDashboardOrigin } from "../domain/login/dashboard-origin.ts";
import { publishRelease } from "../domain/releases/publishing.ts";
import { viewerOf } from "../domain/releases/viewer.ts";
import { publishedView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.publishRelease, async ({ caller, params: { id }, body, receivedAt }) => {
  const { expect_current: expectCurrent, replace_later_run: replacesLaterRun } = body;
  const publication = { releaseId: id, expectCurrent, replacesLaterRun };
  const published = await publishRelease(caller, publication, receivedAt);
  const viewer = await viewerOf(caller, [published.release]);
  return response(published.isLive ? 200 : 202, publishedView(published, viewer, findDashboardOrigin()));
});
