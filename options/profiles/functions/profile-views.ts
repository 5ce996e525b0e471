import type * as z from "zod/mini";
import { timeOf } from "../../../functions/http/views.ts";
import type * as contract from "../contract/telemetry.ts";
import type { Profile } from "./profile.ts";
import { grantEndOf } from "./telemetry-grants.ts";

/** A view (see views.ts) of a profile. */
export function profileView(profile: Profile, now: Date): z.infer<typeof contract.profile> {
  const { id, releaseId, device = null, createdAt, bytes, ttl } = profile;
  return {
    id,
    release: releaseId,
    device,
    created_at: createdAt,
    grant_ends_at: grantEndOf(profile, now) ?? null,
    bytes,
    expires_at: timeOf(ttl),
  };
}
