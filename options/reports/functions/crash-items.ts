import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { limits } from "../../../contract/api/limits.ts";
import * as environment from "../../../functions/environment.ts";
import { ttlAfter } from "../../../functions/table/attributes.ts";
import { send } from "../../../functions/table/client.ts";
import { readItems, readRange } from "../../../functions/table/read.ts";
import type { Crash } from "../contract/crashes.ts";
import type { HourlyCrashes } from "./hourly-crashes.ts";
import { type CrashesId, crashesKey, crashesRange } from "./keys.ts";

const itemsPerRead = 500;

/** The crashes of a project from one day to another, both included, by hour. */
export async function readCrashes(slug: string, from: string, to: string): Promise<HourlyCrashes[]> {
  const crashes: HourlyCrashes[] = [];
  // Before every hour of the day.
  let after: string | undefined = from;
  while (after !== undefined) {
    const { items, last }: { items: HourlyCrashes[]; last: string | undefined } = await readRange(crashesRange(slug), {
      limit: itemsPerRead,
      after,
    });
    const inRange = items.filter(({ hour }) => hour.slice(0, 10) <= to);
    crashes.push(...inRange);
    after = inRange.length < items.length ? undefined : last;
  }
  return crashes;
}

/** Whether any crash of a release was counted in an hour. */
export async function hasCrashes(id: CrashesId): Promise<boolean> {
  const [counted] = await readItems([crashesKey(id)]);
  return counted !== undefined;
}

/**
 * Counts crashes of a release in an hour, all or none: those above `limits.crashesPerHour` change nothing, so a stranger can write no more.
 *
 * @throws StorageUnavailableError
 */
export async function addCrashes(id: CrashesId, crashes: readonly Crash[], now: Date): Promise<void> {
  const { hour, release, isPreview } = id;
  const counts = [...Map.groupBy(crashes, ({ reason, device, engine }) => `${reason}.${device}.${engine}`)];
  const names = counts.map(([combination], index) => [`#c${index}`, combination] as const);
  const values = counts.map(([, all], index) => [`:c${index}`, all.length] as const);
  try {
    await send(
      new UpdateCommand({
        TableName: environment.tableName(),
        Key: crashesKey(id),
        UpdateExpression: `SET #hour = :hour, #release = :release, #preview = :preview, #ttl = :ttl ADD #total :count, ${names.map(([name], index) => `${name} :c${index}`).join(", ")}`,
        ConditionExpression: "attribute_not_exists(#total) OR #total <= :room",
        ExpressionAttributeNames: {
          ...Object.fromEntries(names),
          ...{ "#hour": "hour", "#release": "release", "#preview": "isPreview", "#ttl": "ttl", "#total": "total" },
        },
        ExpressionAttributeValues: {
          ...Object.fromEntries(values),
          ...{ ":hour": hour, ":release": release, ":preview": isPreview },
          ...{ ":ttl": ttlAfter(now, limits.crashRetentionDays), ":count": crashes.length },
          ":room": limits.crashesPerHour - crashes.length,
        },
      }),
    );
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
  }
}
