import type { DailyStatistics } from "../../entities/daily-statistics.ts";
import type { Key, KeyRange } from "../keys.ts";
import { readRange } from "../read.ts";

/*
 * How projects were played, which one option counts and others read.
 */

/** Partition of its own, not the project's: the function that counts may write it and nothing of a project. */
export function statisticsPartition(slug: string): string {
  return `STATISTICS#${slug}`;
}

const dayPrefix = "DAY#";

/** Identity of statistics: a project, a day and a release. */
type StatisticsId = Pick<DailyStatistics, "day" | "release"> & { readonly slug: string };

export function statisticsKey({ slug, day, release }: StatisticsId): Key<DailyStatistics> {
  return { PK: statisticsPartition(slug), SK: `${dayPrefix}${day}#${release}` };
}

/** All days of a project. */
function statisticsRange(slug: string): KeyRange<DailyStatistics> {
  return { PK: statisticsPartition(slug), prefix: dayPrefix };
}

const itemsPerRead = 500;

/** The statistics of a project from one day to another, both included, by day. */
export async function readStatistics(slug: string, from: string, to: string): Promise<DailyStatistics[]> {
  const statistics: DailyStatistics[] = [];
  // Before every release of the day.
  let after: string | undefined = from;
  while (after !== undefined) {
    const { items, last }: { items: DailyStatistics[]; last: string | undefined } = await readRange(
      statisticsRange(slug),
      { limit: itemsPerRead, after },
    );
    const wanted = items.filter(({ day }) => day <= to);
    statistics.push(...wanted);
    after = wanted.length < items.length ? undefined : last;
  }
  return statistics;
}
