import { limits } from "../../../contract/api/limits.ts";
import type { Amount } from "../../entities/project.ts";
import { deleteItems } from "../accounts/erase.ts";
import { keys, ranges } from "../keys.ts";
import { readWhole } from "../read.ts";

/*
 * Parts of profiles that the sweep reads and deletes (docs/decisions/0072-telemetry-grants.md).
 */

/** Amount that so many profiles count for while they are kept, whatever they contain. */
export function profilesAmount(count: number): Amount {
  return { bytes: count * limits.bytesPerProfile, objects: count };
}

/** Number of a project's profiles that are kept. */
export async function countProfiles(slug: string, now: Date): Promise<number> {
  const all = await readWhole(ranges.profiles(slug), { attributes: ["ttl"] });
  return all.filter(({ ttl }) => ttl * 1_000 > now.getTime()).length;
}

/** Deletes all profiles of a project with their records, each profile after its records: an interrupted sweep finds what is left. */
export async function eraseProfiles(slug: string): Promise<void> {
  for (const { id } of await readWhole(ranges.profiles(slug), { attributes: ["id"] })) {
    const chunks = await readWhole(ranges.telemetry(slug, id), { attributes: ["first"] });
    await deleteItems(chunks.map(({ first }) => keys.telemetry(slug, id, first)));
    await deleteItems([keys.profile(slug, id)]);
  }
}
