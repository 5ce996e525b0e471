import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { batchesOf } from "../../batches-of.ts";
import type { DailyStatistics } from "../../entities/daily-statistics.ts";
import * as environment from "../../environment.ts";
import { send } from "../client.ts";
import { keys, ranges } from "../keys.ts";
import { keysPerRead, readItems, readRange } from "../read.ts";

/** Which statistics: of a project, a day and a release. */
export type StatisticsId = Pick<DailyStatistics, "day" | "release"> & { readonly slug: string };

/** The statistics of releases and days, in their order; undefined if there are none yet. */
export async function readStatisticsOf(ids: readonly StatisticsId[]): Promise<(DailyStatistics | undefined)[]> {
  const found: (DailyStatistics | undefined)[] = [];
  for (const batch of batchesOf(ids, keysPerRead)) found.push(...(await readItems(batch.map(keys.statistics))));
  return found;
}

/** Replaces the statistics of a project, a day and a release. */
export async function putStatistics(slug: string, statistics: DailyStatistics): Promise<void> {
  const Item = { ...keys.statistics({ slug, ...statistics }), ...statistics };
  await send(new PutCommand({ TableName: environment.tableName(), Item }));
}

const itemsPerRead = 500;

/** The statistics of a project from one day to another, both included, by day. */
export async function readStatistics(slug: string, from: string, to: string): Promise<DailyStatistics[]> {
  const found: DailyStatistics[] = [];
  // Before every release of the day.
  let after: string | undefined = from;
  while (after !== undefined) {
    const { items, last }: { items: DailyStatistics[]; last: string | undefined } = await readRange(
      ranges.statistics(slug),
      { limit: itemsPerRead, after },
    );
    const wanted = items.filter(({ day }) => day <= to);
    found.push(...wanted);
    after = wanted.length < items.length ? undefined : last;
  }
  return found;
}
