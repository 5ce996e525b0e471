import type { TestService } from "../../../../test/support/service/service.ts";
import { liveRelease } from "../../../../test/support/service/steps.ts";
import { storeItems } from "../../../../test/support/table/stored.ts";
import type { Crash } from "../../contract/crashes.ts";
import { addCrashes } from "../../functions/crash-items.ts";
import { publishNamed } from "./operations.ts";

type Owner = Parameters<typeof publishNamed>[0];

export interface NamedRelease {
  readonly id: string;
  /** At the edge. */
  readonly name: string;
}

/** Makes a new release live. */
export async function goLive(owner: Owner): Promise<NamedRelease> {
  const name = await publishNamed(owner);
  return { name, id: (await liveRelease(owner, owner.slug)) ?? "" };
}

export function hoursAgo(hours: number): Date {
  return new Date(Date.now() - hours * 3_600_000);
}

const oom: Crash = { reason: "oom", device: "phone", engine: "chromium" };

/** Counts crashes as if they had come at a time: the day before yesterday, of phones that ran out of memory. */
export async function crash(
  slug: string,
  { name: release }: Pick<NamedRelease, "name">,
  count: number,
  { at = hoursAgo(30), of = oom, isPreview = false } = {},
): Promise<void> {
  const hour = at.toISOString().slice(0, 13);
  await addCrashes({ slug, hour, release, isPreview }, Array(count).fill(of), new Date());
}

/** Stores plays of a day as the option does that counts them. */
export async function play(
  service: TestService,
  slug: string,
  { name: release }: NamedRelease,
  plays: number,
): Promise<void> {
  const day = hoursAgo(30).toISOString().slice(0, 10);
  const counts = { firstPlays: plays - 1, repeatedPlays: 1, ttl: Math.floor(Date.now() / 1_000) + 1_000 };
  await storeItems(service, [{ PK: `STATISTICS#${slug}`, SK: `DAY#${day}#${release}`, day, release, ...counts }]);
}

/** Two releases, the second of which is live and crashes on phones: 22 times in 200 plays, after 10 in 1,000. */
export async function crashesAfterUpdate(service: TestService, owner: Owner): Promise<void> {
  const { slug } = owner;
  for (const [plays, crashes] of [
    [1_000, 10],
    [200, 22],
  ] as const) {
    const release = await goLive(owner);
    await play(service, slug, release, plays);
    await crash(slug, release, crashes);
  }
}

/** The same, stored from outside: two releases, the second of which is live and clearly worse. @returns the live one */
export async function storeWorseRelease(service: TestService, owner: Owner): Promise<NamedRelease> {
  const { slug } = owner;
  const hour = hoursAgo(30).toISOString().slice(0, 13);
  let live: NamedRelease = { id: "", name: "" };
  for (const total of [2, 100]) {
    live = await goLive(owner);
    const { name: release } = live;
    await play(service, slug, live, 200);
    const crashes = { hour, release, isPreview: false, total, "oom.phone.chromium": total };
    await storeItems(service, [{ PK: `CRASHES#${slug}`, SK: `HOUR#${hour}#${release}`, ...crashes }]);
  }
  return live;
}
