import * as contract from "../../contract/api/profiles/telemetry.ts";
import { listProfiles } from "../domain/profiles/profiles.ts";
import { profileView } from "../http/profile-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.listProfiles, async ({ caller, query, receivedAt }) => {
  const { profiles, nextCursor } = await listProfiles(caller.project, query, receivedAt);
  return response(200, {
    profiles: profiles.map((profile) => profileView(profile, receivedAt)),
    next_cursor: nextCursor,
  });
});
