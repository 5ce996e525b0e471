import { PutCommand } from "@aws-sdk/lib-dynamodb";
import type { DailyStatistics } from "../../../functions/entities/daily-statistics.ts";
import * as environment from "../../../functions/environment.ts";
import { send } from "../../../functions/table/client.ts";
import { statisticsKey } from "../../../functions/table/projects/statistics-items.ts";

/** Replaces the statistics of a project, a day and a release. */
export async function putStatistics(slug: string, statistics: DailyStatistics): Promise<void> {
  const Item = { ...statisticsKey({ slug, ...statistics }), ...statistics };
  await send(new PutCommand({ TableName: environment.tableName(), Item }));
}
