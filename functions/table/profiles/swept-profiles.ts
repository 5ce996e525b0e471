import { limits } from "../../../contract/api/limits.ts";
import type { Amount } from "../../entities/project.ts";
import { deleteItems } from "../accounts/erase.ts";
import { type KeyRange, keys, ranges } from "../keys.ts";
import { readRange } from "../read.ts";

/*
 * What the sweep reads and deletes of profiles (docs/decisions/0072-telemetry-grants.md).
 */

/** What so many profiles count for while they are kept, whatever they have. */
export function profilesAmount(count: number): Amount {
  return { bytes: count * limits.bytesPerProfile, objects: count };
}

/** How many profiles of a project are kept. */
export async function countProfiles(slug: string, now: Date): Promise<number> {
  const all = await readAll(ranges.profiles(slug), ["ttl"]);
  return all.filter(({ ttl }) => ttl * 1_000 > now.getTime()).length;
}

/** Deletes all profiles of a project with their records, each profile after its records: an interrupted sweep finds what is left. */
export async function eraseProfiles(slug: string): Promise<void> {
  for (const { id } of await readAll(ranges.profiles(slug), ["id"])) {
    const chunks = await readAll(ranges.telemetry(slug, id), ["first"]);
    await deleteItems(chunks.map(({ first }) => keys.telemetry(slug, id, first)));
    await deleteItems([keys.profile(slug, id)]);
  }
}

async function readAll<Item, Attribute extends keyof Item & string>(
  range: KeyRange<Item>,
  attributes: readonly Attribute[],
): Promise<Pick<Item, Attribute>[]> {
  const found: Pick<Item, Attribute>[] = [];
  let after: string | undefined;
  do {
    const { items, last } = await readRange(range, { limit: 1_000, after }, { attributes });
    found.push(...items);
    after = last;
  } while (after !== undefined);
  return found;
}
