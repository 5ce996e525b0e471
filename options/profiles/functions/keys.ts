import { type Key, type KeyRange, projectPartition } from "../../../functions/table/keys.ts";
import type { Profile, TelemetryChunk, TelemetryGrant } from "./profile.ts";

const profilePrefix = "PROFILE#";
const telemetryPrefix = (profileId: string) => `TELEMETRY#${profileId}#`;

export const profileKeys = {
  /** @param key the `grantKey` of the raw grant */
  telemetryGrant: (key: string): Key<TelemetryGrant> => ({ PK: `GRANT#${key}`, SK: "GRANT" }),
  profile: (slug: string, id: string): Key<Profile> => ({ PK: projectPartition(slug), SK: profilePrefix + id }),
  /** @param first how many records of the profile come before */
  telemetry: (slug: string, profileId: string, first: number): Key<TelemetryChunk> => ({
    PK: projectPartition(slug),
    SK: telemetryPrefix(profileId) + String(first).padStart(8, "0"),
  }),
};

export const profileRanges = {
  profiles: (slug: string): KeyRange<Profile> => ({ PK: projectPartition(slug), prefix: profilePrefix }),
  telemetry: (slug: string, profileId: string): KeyRange<TelemetryChunk> => ({
    PK: projectPartition(slug),
    prefix: telemetryPrefix(profileId),
  }),
};
