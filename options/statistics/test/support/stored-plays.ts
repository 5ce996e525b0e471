import type { DailyStatistics } from "../../../../functions/entities/daily-statistics.ts";
import { readProject } from "../../../../functions/table/projects/project-items.ts";
import { putStatistics } from "../../functions/statistics-items.ts";
import { replaceTraffic } from "../../functions/traffic-items.ts";

/** Stores the statistics of a project for today and a release, or what is given instead, as the job that counts plays does. */
export function storePlays(slug: string, changes: Partial<DailyStatistics> = {}): Promise<void> {
  return putStatistics(slug, {
    ...{ day: new Date().toISOString().slice(0, 10), release: "a".repeat(43) },
    ...{ releaseId: "00VbbL3M8vSKHg8rDkhym8", releaseNumber: 3 },
    ...{ firstPlays: 3, repeatedPlays: 1, firstByteMilliseconds: 80, requests: 20, bytes: 2_048 },
    ...{
      countries: { DE: 3, unknown: 1 },
      errors: { "404": 2 },
      failing: [{ path: "/a", status: "404", requests: 2 }],
    },
    ...{ ttl: Math.floor(Date.now() / 1_000) + 1_000, ...changes },
  });
}

/** Stores what was sent of a project in this month, all on its first day, and how often it was played today. */
export async function storeTraffic(slug: string, bytes: number, plays = 0): Promise<void> {
  const project = await readProject(slug);
  if (project === undefined) throw new Error(`There is no project ${slug}`);
  const now = new Date();
  const [month, day] = [now.toISOString().slice(0, 7), now.toISOString().slice(8, 10)];
  await replaceTraffic(project, month, {
    previous: undefined,
    byDay: { "01": bytes },
    playsByDay: { [day]: plays },
    now,
  });
}

/** Two releases that were played enough to be compared: the first one 40 times, the second one 32 times with more failures. */
export async function storeTwoPlayedReleases(slug: string, [first, second]: readonly [string, string]): Promise<void> {
  await storePlays(slug, {
    ...{ releaseId: first, releaseNumber: 1, firstPlays: 30, repeatedPlays: 10, firstByteMilliseconds: 3_200 },
  });
  await storePlays(slug, {
    ...{ release: "b".repeat(43), releaseId: second, releaseNumber: 2, firstPlays: 32, repeatedPlays: 0 },
    ...{ firstByteMilliseconds: 1_600, errors: { "404": 3, "500": 1 } },
  });
}
