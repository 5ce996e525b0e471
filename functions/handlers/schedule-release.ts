import * as contract from "../../contract/api/releases/schedules.ts";
import { scheduleRelease } from "../domain/releases/scheduling.ts";
import { viewerOf } from "../domain/releases/viewer.ts";
import { releaseView } from "../http/release-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.scheduleRelease, async ({ caller, params: { id }, body, receivedAt }) => {
  const { at, expect_current: expectCurrent, despite_changes: despiteChanges = false } = body;
  const wanted = { releaseId: id, at: new Date(at), expectCurrent, despiteChanges };
  const { project, release } = await scheduleRelease(caller, wanted, receivedAt);
  return response(200, releaseView(release, project, await viewerOf({ ...caller, project }, [release])));
});
