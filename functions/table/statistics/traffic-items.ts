import { limits } from "../../../contract/api/limits.ts";
import { batchesOf } from "../../batches-of.ts";
import type { MonthlyTraffic } from "../../entities/daily-statistics.ts";
import type { Project } from "../../entities/project.ts";
import { ttlAfter } from "../attributes.ts";
import { asRead } from "../expressions.ts";
import { newId } from "../ids.ts";
import { type Key, keys } from "../keys.ts";
import { noticeWrite } from "../outbox.ts";
import { pointerWrites, waitingWrites } from "../projects/pointer-items.ts";
import { readItems, readManyItems } from "../read.ts";
import { change, transact, tryTransact, type Write } from "../transaction.ts";

/** The traffic of up to 50 projects in a month, in their order, and of their owners' accounts by their keys. */
export async function readTraffic(projects: readonly Pick<Project, "slug" | "ownerKey">[], month: string) {
  const owners = [...new Set(projects.map(({ ownerKey }) => ownerKey))];
  const found: (MonthlyTraffic | undefined)[] = await readItems([
    ...projects.map(({ slug }) => keys.traffic(slug, month)),
    ...owners.map((key) => keys.accountTraffic(key, month)),
  ]);
  const accounts = new Map(owners.map((key, index) => [key, found[projects.length + index]]));
  return { projects: found.slice(0, projects.length), accounts };
}

/** Traffic counted for each of these projects in each of these months, in their order. */
export async function readMonths(
  slugs: readonly string[],
  months: readonly string[],
): Promise<(readonly (MonthlyTraffic | undefined)[])[]> {
  const wanted = slugs.flatMap((slug) => months.map((month) => keys.traffic(slug, month)));
  return batchesOf(await readManyItems(wanted), months.length);
}

/** The bytes of all days together. */
export function sumOf(byDay: Readonly<Record<string, number>>): number {
  return Object.values(byDay).reduce((sum, bytes) => sum + bytes, 0);
}

interface TrafficChange extends Required<Pick<MonthlyTraffic, "byDay" | "playsByDay">> {
  readonly before: MonthlyTraffic | undefined;
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
  { before, byDay, playsByDay, now }: TrafficChange,
): Promise<number> {
  const sentBytes = sumOf(byDay);
  const more = sentBytes - (before?.sentBytes ?? 0);
  const ttl = ttlAfter(now, limits.statisticsRetentionDays);
  const failed = await tryTransact({
    project: change(
      keys.traffic(slug, month),
      { sentBytes, byDay, playsByDay, ttl },
      before ? asRead({ sentBytes: before.sentBytes }) : { condition: "attribute_not_exists(PK)" },
    ),
    account: change(keys.accountTraffic(ownerKey, month), "SET #ttl = :ttl ADD sentBytes :more", {
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

/**
 * Limits a project until a time, if its owner is as it was read and it has not been limited until then. Its pointer is written now and at that
 * time, by the schedule.
 *
 * @returns whether it is limited by this
 */
export async function setTrafficLimit({ slug, ownerKey }: Project, until: Date, now: Date): Promise<boolean> {
  const failed = await tryTransact({
    project: change(keys.project(slug), "SET trafficLimit = :limit", {
      condition: "ownerKey = :owner AND (attribute_not_exists(trafficLimit) OR trafficLimit.#until <> :until)",
      values: { ":limit": { until: until.toISOString() }, ":owner": ownerKey, ":until": until.toISOString() },
    }),
    notice: trafficNotice("project_traffic_limited", { slug, ownerKey }, now),
    pointers: [now, until].flatMap((from) => waitingWrites([slug], from)),
  });
  return failed === undefined;
}

/** Lifts a limit that the project has, so that the month brings no other one. */
export async function removeTrafficLimit({ slug, trafficLimit }: Project, now: Date): Promise<void> {
  await transact({
    project: change(keys.project(slug), "SET trafficLimit.isLifted = :true", {
      condition: "trafficLimit.#until = :until AND attribute_not_exists(trafficLimit.isLifted)",
      values: { ":true": true, ":until": trafficLimit?.until },
    }),
    pointers: pointerWrites([slug], now),
  });
}

function trafficNotice(
  type: "project_traffic_high" | "project_traffic_limited",
  { slug, ownerKey }: Pick<Project, "slug" | "ownerKey">,
  now: Date,
): Write | undefined {
  return noticeWrite({ id: newId(now), type, at: now.toISOString(), accountKey: ownerKey, project: slug });
}
