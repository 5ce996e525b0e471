import type { Key, KeyRange } from "../../../functions/table/keys.ts";
import type { DailyStatistics, MonthlyTraffic } from "./daily-statistics.ts";

/** Partition of its own, not the project's: the function that counts may write it and nothing of a project. */
const partition = (slug: string) => `STATISTICS#${slug}`;
const dayPrefix = "DAY#";

/** Identity of statistics: a project, a day and a release. */
type StatisticsId = Pick<DailyStatistics, "day" | "release"> & { readonly slug: string };

export function statisticsKey({ slug, day, release }: StatisticsId): Key<DailyStatistics> {
  return { PK: partition(slug), SK: `${dayPrefix}${day}#${release}` };
}

/** All days of a project. */
export function statisticsRange(slug: string): KeyRange<DailyStatistics> {
  return { PK: partition(slug), prefix: dayPrefix };
}

/** Traffic of a project: what players got of it in a month such as `2026-11`. */
export function trafficKey(slug: string, month: string): Key<MonthlyTraffic> {
  return { PK: partition(slug), SK: `MONTH#${month}` };
}

/** The same of all projects of an account. */
export function accountTrafficKey(key: string, month: string): Key<MonthlyTraffic> {
  return { PK: `TRAFFIC#${key}`, SK: month };
}
