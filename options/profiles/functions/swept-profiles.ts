import { limits } from "../../../contract/api/limits.ts";
import type { Amount } from "../../../functions/entities/project.ts";
import { deleteItems } from "../../../functions/table/accounts/erase.ts";
import { readWhole } from "../../../functions/table/read.ts";
import { profileKeys, profileRanges } from "./keys.ts";

/*
 * Parts of profiles that the sweep reads and deletes (docs/decisions/0072-telemetry-grants.md).
 */

/** Amount that so many profiles count for while they are kept, whatever they contain. */
export function profilesAmount(count: number): Amount {
  return { bytes: count * limits.bytesPerProfile, objects: count };
}

/** Number of a project's profiles that are kept. */
export async function countProfiles(slug: string, now: Date): Promise<number> {
  const all = await readWhole(profileRanges.profiles(slug), { attributes: ["ttl"] });
  return all.filter(({ ttl }) => ttl * 1_000 > now.getTime()).length;
}

/** Deletes all profiles of a project with their records, each profile after its records: an interrupted sweep finds what is left. */
export async function eraseProfiles(slug: string): Promise<void> {
  for (const { id } of await readWhole(profileRanges.profiles(slug), { attributes: ["id"] })) {
    const chunks = await readWhole(profileRanges.telemetry(slug, id), { attributes: ["first"] });
    await deleteItems(chunks.map(({ first }) => profileKeys.telemetry(slug, id, first)));
    await deleteItems([profileKeys.profile(slug, id)]);
  }
}
