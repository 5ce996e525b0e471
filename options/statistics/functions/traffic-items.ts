import { limits } from "../../../contract/api/limits.ts";
import { batchesOf } from "../../../functions/batches-of.ts";
import type { Project } from "../../../functions/entities/project.ts";
import { ttlAfter } from "../../../functions/table/attributes.ts";
import { asRead } from "../../../functions/table/expressions.ts";
import type { Key } from "../../../functions/table/keys.ts";
import { trafficNotice } from "../../../functions/table/projects/traffic-limit-items.ts";
import { readItems, readManyItems } from "../../../functions/table/read.ts";
import { change, tryTransact } from "../../../functions/table/transaction.ts";
import { accountTrafficKey, trafficKey } from "./keys.ts";
import type { MonthlyTraffic } from "./monthly-traffic.ts";

/** The traffic of up to 50 projects in a month, in their order, and of their owners' accounts by their keys. */
export async function readTraffic(projects: readonly Pick<Project, "slug" | "ownerKey">[], month: string) {
  const owners = [...new Set(projects.map(({ ownerKey }) => ownerKey))];
  const items: (MonthlyTraffic | undefined)[] = await readItems([
    ...projects.map(({ slug }) => trafficKey(slug, month)),
    ...owners.map((key) => accountTrafficKey(key, month)),
  ]);
  const accounts = new Map(owners.map((key, index) => [key, items[projects.length + index]]));
  return { projects: items.slice(0, projects.length), accounts };
}

/** Traffic counted for each of these projects in each of these months, in their order. */
export async function readMonths(
  slugs: readonly string[],
  months: readonly string[],
): Promise<(readonly (MonthlyTraffic | undefined)[])[]> {
  const keys = slugs.flatMap((slug) => months.map((month) => trafficKey(slug, month)));
  return batchesOf(await readManyItems(keys), months.length);
}

/** The bytes of all days together. */
export function sumOf(byDay: Readonly<Record<string, number>>): number {
  return Object.values(byDay).reduce((sum, bytes) => sum + bytes, 0);
}

interface TrafficChange extends Required<Pick<MonthlyTraffic, "byDay" | "playsByDay">> {
  readonly previous: MonthlyTraffic | undefined;
  readonly now: Date;
}

/**
 * Replaces what is counted of a project in a month, and adds the difference to its owner's account, if it is as it was read. If it is not,
 * another run has counted the same day at the same time, and the next one counts what is missing.
 *
 * @returns how many bytes the account has more by this
 */
export async function replaceTraffic(
  { slug, ownerKey }: Project,
  month: string,
  { previous, byDay, playsByDay, now }: TrafficChange,
): Promise<number> {
  const sentBytes = sumOf(byDay);
  const more = sentBytes - (previous?.sentBytes ?? 0);
  const ttl = ttlAfter(now, limits.statisticsRetentionDays);
  const failed = await tryTransact({
    project: change(
      trafficKey(slug, month),
      { sentBytes, byDay, playsByDay, ttl },
      previous ? asRead({ sentBytes: previous.sentBytes }) : { condition: "attribute_not_exists(PK)" },
    ),
    account: change(accountTrafficKey(ownerKey, month), "SET #ttl = :ttl ADD sentBytes :more", {
      values: { ":ttl": ttl, ":more": more },
    }),
  });
  return failed === undefined ? more : 0;
}

/** Sends the owner the notice that a limit is near, once for an item of traffic. */
export async function warnOfTraffic({ slug, ownerKey }: Project, key: Key<MonthlyTraffic>, now: Date): Promise<void> {
  await tryTransact({
    traffic: change(key, { isWarned: true }, { condition: "attribute_exists(PK) AND attribute_not_exists(isWarned)" }),
    notice: trafficNotice("project_traffic_high", { slug, ownerKey }, now),
  });
}
