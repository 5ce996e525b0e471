import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import { trafficLimitedUntil } from "../../../functions/domain/projects/state.ts";
import type { Project } from "../../../functions/entities/project.ts";
import * as environment from "../../../functions/environment.ts";
import { dayOf } from "../../../functions/table/accounts/creation-counts.ts";
import { setTrafficLimit } from "../../../functions/table/projects/traffic-limit-items.ts";
import { warnedShare } from "../contract/traffic.ts";
import { accountTrafficKey, trafficKey } from "./keys.ts";
import type { MonthlyTraffic } from "./monthly-traffic.ts";
import { readMonths, readTraffic, replaceTraffic, sumOf, warnOfTraffic } from "./traffic-items.ts";

/*
 * Limit of what players may get of a project in a month: docs/decisions/0071-how-a-game-is-played.md#a-limit-of-traffic.
 */

/**
 * Traffic of a project on a day: the bytes that players got; undefined: nothing was found in the log. And how often its game
 * was played.
 */
export interface DailyTraffic {
  readonly project: Project;
  readonly game: number | undefined;
  readonly previews: number | undefined;
  /** Bytes that the store sent to players, past the log. */
  readonly store: number | undefined;
  readonly plays: number;
}

const monthOf = (day: string) => day.slice(0, "2026-11".length);
const dayInMonth = (day: string) => day.slice(-2);

/**
 * Counts the traffic of a day, whole, for its month, and limits what is over a limit in the present month.
 *
 * @returns the slugs of those that the operator is to hear of: that are limited from now on, or over a limit that only tells
 */
export async function countTraffic(day: string, played: readonly DailyTraffic[], now: Date): Promise<string[]> {
  const month = monthOf(day);
  const totals = await storeTraffic(day, played, now);
  if (month !== monthOf(dayOf(now))) return [];
  const told: string[] = [];
  for (const each of totals) if (await hasReachedLimit(each, month, now)) told.push(each.project.slug);
  return told;
}

/** Bytes that were sent in a month, and whether the owner was told that a limit is near. */
interface SentBytes {
  bytes: number;
  readonly isWarned: true | undefined;
}

interface SentInMonth {
  readonly project: Project;
  readonly ofProject: SentBytes;
  /** Bytes of all projects of the owner. */
  readonly ofAccount: SentBytes;
}

/** @returns what was sent in the month by then, from one read of it and what this has added */
async function storeTraffic(day: string, played: readonly DailyTraffic[], now: Date): Promise<SentInMonth[]> {
  const month = monthOf(day);
  const projects = played.map(({ project }) => project);
  const traffic = await readTraffic(projects, month);
  const accounts = new Map([...traffic.accounts].map(([key, traffic]) => [key, sentOf(traffic)]));
  const totals: SentInMonth[] = [];
  for (const [index, { project, plays, ...bytes }] of played.entries()) {
    const monthly = traffic.projects[index];
    const byDay = { ...monthly?.byDay, ...dailyBytes(day, bytes) };
    const playsByDay = { ...monthly?.playsByDay, ...(plays > 0 && { [dayInMonth(day)]: plays }) };
    const ofAccount = accounts.get(project.ownerKey) ?? sentOf(undefined);
    // Each play sends bytes.
    if (sumOf(byDay) !== (monthly?.sentBytes ?? 0))
      ofAccount.bytes += await replaceTraffic(project, month, { previous: monthly, byDay, playsByDay, now });
    totals.push({ project, ofProject: { ...sentOf(monthly), bytes: sumOf(byDay) }, ofAccount });
  }
  return totals;
}

function sentOf(traffic: MonthlyTraffic | undefined): SentBytes {
  return { bytes: traffic?.sentBytes ?? 0, isWarned: traffic?.isWarned };
}

function dailyBytes(
  day: string,
  { game, previews, store }: Pick<DailyTraffic, "game" | "previews" | "store">,
): Record<string, number> {
  const date = dayInMonth(day);
  return {
    ...(game && { [date]: game }),
    ...(previews && { [`${date}p`]: previews }),
    ...(store && { [`${date}s`]: store }),
  };
}

/** @returns whether the operator is to hear of it */
async function hasReachedLimit(
  { project, ofProject, ofAccount }: SentInMonth,
  month: string,
  now: Date,
): Promise<boolean> {
  const limit = environment.trafficLimits();
  const each = [
    { ...ofProject, most: limit.project, key: trafficKey(project.slug, month) },
    { ...ofAccount, most: limit.account, key: accountTrafficKey(project.ownerKey, month) },
  ].map((one) => ({ ...one, share: one.bytes / (one.most ?? Number.POSITIVE_INFINITY) }));
  const isOver = each.some(({ share }) => share >= 1);
  if (isOver && !limit.isOnlyTold) return await limitOnce(project, nextMonth(now), now);
  for (const { share, isWarned, key } of each)
    if (share >= warnedShare && !isWarned) await warnOfTraffic(project, key, now);
  return isOver;
}

/** @returns whether it is limited by this, and not by an earlier run */
async function limitOnce(project: Project, until: Date, now: Date): Promise<boolean> {
  const isKnown = project.trafficLimit?.until === until.toISOString();
  return !isKnown && (await setTrafficLimit(project, until, now));
}

/** When the limit of this month is over. */
function nextMonth(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
}

/** Bytes that were sent in the present month, and the stage's limit. */
interface BytesOfMonth {
  readonly bytes: number;
  readonly limit: number | null;
}

export interface TrafficOfMonth {
  readonly project: BytesOfMonth;
  /** Bytes of all projects of the owner. */
  readonly account: BytesOfMonth;
  readonly limitedUntil: Date | undefined;
}

/**
 * Traffic that players got of a project, and of all projects of its owner, in the present month, and until when a limit stops
 * them.
 */
export async function trafficOf(project: Project, now: Date): Promise<TrafficOfMonth> {
  const { projects, accounts } = await readTraffic([project], monthOf(dayOf(now)));
  const limit = environment.trafficLimits();
  return {
    project: { bytes: projects[0]?.sentBytes ?? 0, limit: limit.project ?? null },
    account: { bytes: accounts.get(project.ownerKey)?.sentBytes ?? 0, limit: limit.account ?? null },
    limitedUntil: trafficLimitedUntil(project, now),
  };
}

/**
 * Plays of each project in the last 30 days, by slug; without those that nobody played. What was counted before a project was created is of
 * an earlier one of the same slug.
 */
export async function recentPlays(
  projects: readonly Pick<Project, "slug" | "createdAt">[],
  now: Date,
): Promise<Record<string, number>> {
  const dayBefore = (_: unknown, days: number) => dayOf(new Date(now.getTime() - days * dayMilliseconds));
  const days = Array.from({ length: limits.recentPlaysDays }, dayBefore);
  const months = [...new Set(days.map(monthOf))];
  const counted = await readMonths(
    projects.map(({ slug }) => slug),
    months,
  );
  const plays = projects.map(({ slug, createdAt }, index) => {
    const ofDay = (day: string) => counted[index]?.[months.indexOf(monthOf(day))]?.playsByDay?.[dayInMonth(day)] ?? 0;
    const daysSinceCreation = days.filter((day) => day >= dayOf(new Date(createdAt)));
    return [slug, daysSinceCreation.reduce((sum, day) => sum + ofDay(day), 0)] as const;
  });
  return Object.fromEntries(plays.filter(([, count]) => count > 0));
}
