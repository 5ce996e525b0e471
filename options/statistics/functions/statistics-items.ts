import { PutCommand } from "@aws-sdk/lib-dynamodb";
import * as environment from "../../../functions/environment.ts";
import { send } from "../../../functions/table/client.ts";
import { readRange } from "../../../functions/table/read.ts";
import type { DailyStatistics } from "./daily-statistics.ts";
import { statisticsKey, statisticsRange } from "./keys.ts";

/** Replaces the statistics of a project, a day and a release. */
export async function putStatistics(slug: string, statistics: DailyStatistics): Promise<void> {
  const Item = { ...statisticsKey({ slug, ...statistics }), ...statistics };
  await send(new PutCommand({ TableName: environment.tableName(), Item }));
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
