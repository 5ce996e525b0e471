import { listReleases as route } from "../../contract/releases.ts";
import { listReleases } from "../domain/releases.ts";
import { releaseView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(route, async ({ caller: { project }, query, receivedAt }) => {
  const { releases, nextCursor } = await listReleases(project.slug, query, receivedAt);
  return response(200, { releases: releases.map((release) => releaseView(release, project)), next_cursor: nextCursor });
});
