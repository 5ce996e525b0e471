import * as contract from "../../contract/api/releases/schedules.ts";
import { cancelSchedule } from "../domain/releases/scheduling.ts";
import { viewerOf } from "../domain/releases/viewer.ts";
import { releaseView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.cancelSchedule, async ({ caller, params: { id }, receivedAt }) => {
  const { project, release } = await cancelSchedule(caller, id, receivedAt);
  return response(200, releaseView(release, project, await viewerOf(caller, [release])));
});
