import type { Key, KeyRange } from "../../../functions/table/keys.ts";
import type { HourlyCrashes, WorseNotice } from "./hourly-crashes.ts";

/** Partition of its own, not the project's: the function that anybody may call writes it and nothing of a project. */
const partition = (slug: string) => `CRASHES#${slug}`;
const hourPrefix = "HOUR#";
const worsePrefix = "WORSE#";

/** Identity of counted crashes: a project, an hour and a release; those of a preview apart from those of the game. */
export type CrashesId = Pick<HourlyCrashes, "hour" | "release" | "isPreview"> & { readonly slug: string };

export function crashesKey({ slug, hour, release, isPreview }: CrashesId): Key<HourlyCrashes> {
  return { PK: partition(slug), SK: `${hourPrefix}${hour}#${release}${isPreview ? "#PREVIEW" : ""}` };
}

/** All hours of a project. */
export function crashesRange(slug: string): KeyRange<HourlyCrashes> {
  return { PK: partition(slug), prefix: hourPrefix };
}

/** That owner and admins were told of a release that crashes more often. */
export function worseKey(slug: string, releaseId: string): Key<WorseNotice> {
  return { PK: partition(slug), SK: worsePrefix + releaseId };
}
