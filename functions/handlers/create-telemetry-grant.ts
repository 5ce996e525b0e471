import * as contract from "../../contract/api/profiles/telemetry.ts";
import { createTelemetryGrant } from "../domain/profiles/telemetry-grants.ts";
import { profileView } from "../http/profile-views.ts";
import { created } from "../http/response.ts";
import { serve } from "../http/serve.ts";

export const handler = serve(contract.createTelemetryGrant, async ({ caller, body, receivedAt }) => {
  const { profile, url } = await createTelemetryGrant(caller, body.release, receivedAt);
  const location = `/projects/${caller.project.slug}/profiles/${profile.id}` as const;
  return created(location, { profile: profileView(profile, receivedAt), url });
});
