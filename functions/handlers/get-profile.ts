import * as contract from "../../contract/api/profiles/telemetry.ts";
import { getProfile } from "../domain/profiles/profiles.ts";
import { profileView } from "../http/profile-views.ts";
import { response } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.getProfile, async ({ caller, params: { id }, receivedAt }) => {
  const { profile, records } = await getProfile(caller.project, id, receivedAt);
  return response(200, { profile: profileView(profile, receivedAt), records });
});
