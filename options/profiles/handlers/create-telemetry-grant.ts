import { created } from "../../../functions/http/response.ts";
import { serve } from "../../../functions/http/serve.ts";
import * as contract from "../contract/telemetry.ts";
import { profileView } from "../functions/profile-views.ts";
import { createTelemetryGrant } from "../functions/telemetry-grants.ts";

export const handler = serve(contract.createTelemetryGrant, async ({ caller, body, receivedAt }) => {
  const { profile, url } = await createTelemetryGrant(caller, body.release, receivedAt);
  const location = `/projects/${caller.project.slug}/profiles/${profile.id}` as const;
  return created(location, { profile: profileView(profile, receivedAt), url });
});
