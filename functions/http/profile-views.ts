import type * as z from "zod/mini";
import type * as contract from "../../contract/api/profiles/telemetry.ts";
import { grantEndOf } from "../domain/profiles/telemetry-grants.ts";
import type { Profile } from "../entities/profile.ts";
import { timeOf } from "./views.ts";

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
