import * as contract from "../../contract/api/releases.ts";
import { listReleases } from "../domain/releases/releases.ts";
import { ownerOf, releaseView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.listReleases, async ({ caller, query, receivedAt }) => {
  const { project } = caller;
  const { releases, nextCursor } = await listReleases(project, query, receivedAt);
  return response(200, {
    releases: releases.map((release) => releaseView(release, project, ownerOf(caller))),
    next_cursor: nextCursor,
  });
});
