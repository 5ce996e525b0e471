import * as contract from "../../contract/api/releases/releases.ts";
import { createRelease } from "../domain/releases/opening.ts";
import { viewerOf } from "../domain/releases/viewer.ts";
import { createdReleaseView, releaseRequest } from "../http/release-views.ts";
import { created, response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.createRelease, async ({ caller, idempotency, body, receivedAt }) => {
  const { project } = caller;
  const opened = await createRelease(caller, releaseRequest(body), receivedAt, idempotency);
  const viewer = await viewerOf(caller, opened.release ? [opened.release] : []);
  const view = createdReleaseView(opened, project, viewer);
  return opened.created
    ? created(`/projects/${project.slug}/releases/${opened.release?.id}`, view)
    : response(200, view);
});
