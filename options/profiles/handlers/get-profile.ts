import { response } from "../../../functions/http/response.ts";
import { serve } from "../../../functions/http/serve.ts";
import * as contract from "../contract/telemetry.ts";
import { profileView } from "../functions/profile-views.ts";
import { getProfile } from "../functions/profiles.ts";

export const handler = serve(contract.getProfile, async ({ caller, params: { id }, receivedAt }) => {
  const { profile, records } = await getProfile(caller.project, id, receivedAt);
  return response(200, { profile: profileView(profile, receivedAt), records });
});
