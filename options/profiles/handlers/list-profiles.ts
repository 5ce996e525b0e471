import { response } from "../../../functions/http/response.ts";
import { serve } from "../../../functions/http/serve.ts";
import * as contract from "../contract/telemetry.ts";
import { profileView } from "../functions/profile-views.ts";
import { listProfiles } from "../functions/profiles.ts";

export const handler = serve(contract.listProfiles, async ({ caller, query, receivedAt }) => {
  const { profiles, nextCursor } = await listProfiles(caller.project, query, receivedAt);
  return response(200, {
    profiles: profiles.map((profile) => profileView(profile, receivedAt)),
    next_cursor: nextCursor,
  });
});
