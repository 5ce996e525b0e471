import * as contract from "../../contract/api/releases/releases.ts";
import { listReleases } from "../domain/releases/releases.ts";
import { viewerOf } from "../domain/releases/viewer.ts";
import { releaseView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.listReleases, async ({ caller, query, receivedAt }) => {
  const { project } = caller;
  const { releases, nextCursor } = await listReleases(caller, query, receivedAt);
  const viewer = await viewerOf(caller, releases);
  return response(200, {
    releases: releases.map((release) => releaseView(release, project, viewer)),
    next_cursor: nextCursor,
  });
});
