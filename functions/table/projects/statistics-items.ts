import { limits } from "../../../contract/api/limits.ts";
import type { DailyStatistics } from "../../entities/daily-statistics.ts";
import { dayOf } from "../accounts/creation-counts.ts";
import { ttlAfter } from "../attributes.ts";
import type { Key, KeyRange } from "../keys.ts";
import { readRange } from "../read.ts";
import { change, type Write } from "../transaction.ts";

/*
 * How projects were played, which one option counts and others read.
 */

/** Partition of its own, not the project's: the function that counts may write it and nothing of a project. */
export function statisticsPartition(slug: string): string {
  return `STATISTICS#${slug}`;
}

/** Bytes that players got of a project on a day past the games' edge, whose log does not have them. */
interface SentBytes {
  readonly sentBytes: number;
  /** Epoch seconds after which DynamoDB may delete it. */
  readonly ttl: number;
}

export function sentBytesKey(slug: string, day: string): Key<SentBytes> {
  return { PK: statisticsPartition(slug), SK: `SENT#${day}` };
}

/** Counts bytes that the store sends to a player of a project. */
export function sentBytesWrite(slug: string, sizeBytes: number, now: Date): Write<SentBytes> {
  return change(sentBytesKey(slug, dayOf(now)), "SET #ttl = :ttl ADD sentBytes :size", {
    values: { ":ttl": ttlAfter(now, limits.statisticsRetentionDays), ":size": sizeBytes },
  });
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
