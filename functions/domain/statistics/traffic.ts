import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import type { MonthlyTraffic } from "../../entities/daily-statistics.ts";
import type { Project } from "../../entities/project.ts";
import * as environment from "../../environment.ts";
import { dayOf } from "../../table/accounts/creation-counts.ts";
import { keys } from "../../table/keys.ts";
import {
  readMonths,
  readTraffic,
  replaceTraffic,
  setTrafficLimit,
  sumOf,
  warnOfTraffic,
} from "../../table/statistics/traffic-items.ts";

/*
 * How much players may get of a project in a month: docs/decisions/0073-a-limit-of-traffic.md.
 */

/** What players got of a project on a day, in bytes; undefined: nothing was found in the log. And how often its game was played. */
export interface DailyTraffic {
  readonly project: Project;
  readonly game: number | undefined;
  readonly previews: number | undefined;
  readonly plays: number;
}

/** From this part of a limit on the owner is told. */
const warnedShare = 0.8;

const monthOf = (day: string) => day.slice(0, "2026-11".length);
const dayInMonth = (day: string) => day.slice(-2);

/**
 * Counts the traffic of a day, whole, for its month, and limits what is over a limit in the present month.
 *
 * @returns the slugs of those that the operator is to hear of: that are limited from now on, or over a limit that only tells
 */
export async function countTraffic(day: string, played: readonly DailyTraffic[], now: Date): Promise<string[]> {
  const month = monthOf(day);
  const projects = played.map(({ project }) => project);
  const { projects: before } = await readTraffic(projects, month);
  for (const [index, each] of played.entries()) {
    const byDay = { ...before[index]?.byDay, ...dailyBytes(day, each) };
    const playsByDay = { ...before[index]?.playsByDay, ...(each.plays > 0 && { [dayInMonth(day)]: each.plays }) };
    // Each play sends bytes.
    if (sumOf(byDay) !== (before[index]?.sentBytes ?? 0))
      await replaceTraffic(each.project, month, { before: before[index], byDay, playsByDay, now });
  }
  if (month !== monthOf(dayOf(now))) return [];
  const counted = await readTraffic(projects, month);
  const told: string[] = [];
  for (const [index, project] of projects.entries()) {
    const sent = { project: counted.projects[index], account: counted.accounts[index] };
    if (await hasReachedLimit(project, month, sent, now)) told.push(project.slug);
  }
  return told;
}

function dailyBytes(day: string, { game, previews }: DailyTraffic): Record<string, number> {
  const date = dayInMonth(day);
  return { ...(game && { [date]: game }), ...(previews && { [`${date}p`]: previews }) };
}

/** @returns whether the operator is to hear of it */
async function hasReachedLimit(
  project: Project,
  month: string,
  sent: { readonly [Of in "project" | "account"]: MonthlyTraffic | undefined },
  now: Date,
): Promise<boolean> {
  const { isOnlyTold, ...most } = environment.trafficLimits();
  const shareOf = (of: "project" | "account") => (sent[of]?.sentBytes ?? 0) / (most[of] ?? Number.POSITIVE_INFINITY);
  const isOver = shareOf("project") >= 1 || shareOf("account") >= 1;
  if (isOver && !isOnlyTold) return await setTrafficLimit(project, nextMonth(now), now);
  const keyOf = {
    project: keys.traffic(project.slug, month),
    account: keys.accountTraffic(project.ownerKey, month),
  };
  for (const each of ["project", "account"] as const)
    if (shareOf(each) >= warnedShare && !sent[each]?.isWarned) await warnOfTraffic(project, keyOf[each], now);
  return isOver;
}

/** When the limit of this month is over. */
function nextMonth(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1));
}

/**
 * How often each project was played in the last 28 days, by slug; without those that nobody played. What was counted before a project was
 * created is of an earlier one of the same slug.
 */
export async function recentPlays(projects: readonly Project[], now: Date): Promise<Record<string, number>> {
  const dayBefore = (_: unknown, days: number) => dayOf(new Date(now.getTime() - days * dayMilliseconds));
  const days = Array.from({ length: limits.recentPlaysDays }, dayBefore);
  const months = [...new Set(days.map(monthOf))];
  const counted = await readMonths(
    projects.map(({ slug }) => slug),
    months,
  );
  const plays = projects.map(({ slug, createdAt }, index) => {
    const ofDay = (day: string) => counted[index]?.[months.indexOf(monthOf(day))]?.playsByDay?.[dayInMonth(day)] ?? 0;
    const own = days.filter((day) => day >= dayOf(new Date(createdAt)));
    return [slug, own.reduce((sum, day) => sum + ofDay(day), 0)] as const;
  });
  return Object.fromEntries(plays.filter(([, count]) => count > 0));
}
