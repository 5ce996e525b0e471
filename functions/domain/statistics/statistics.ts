import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import type { DailyStatistics, FailingPath } from "../../entities/daily-statistics.ts";
import type { Project } from "../../entities/project.ts";
import { readStatistics } from "../../table/statistics/statistics-items.ts";

/** How a project was played from one day to another, both included. */
export interface ProjectStatistics {
  readonly from: string;
  readonly to: string;
  readonly days: readonly DailyStatistics[];
  /** Plays by country, most first; the empty one is unknown. */
  readonly countries: readonly (readonly [country: string, plays: number])[];
  readonly failing: readonly FailingPath[];
}

/** The days that a request without them is about. */
const usualDays = 30;
const shownPaths = 20;

const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
const later = (a: string, b: string) => (a > b ? a : b);

/**
 * The statistics of a project. An earlier project of the same slug is another one, so nothing before its creation is told.
 *
 * @param wanted days as `2026-11-25`; no more than the last 92 of them are told
 */
export async function statisticsOf(
  { slug, createdAt }: Project,
  wanted: { readonly from?: string | undefined; readonly to?: string | undefined },
  now: Date,
): Promise<ProjectStatistics> {
  const { to = dayOf(now.getTime()) } = wanted;
  const daysBefore = (days: number) => dayOf(Date.parse(to) - (days - 1) * dayMilliseconds);
  const from = later(wanted.from ?? daysBefore(usualDays), daysBefore(limits.statisticsDays));
  const days = await readStatistics(slug, later(from, createdAt.slice(0, 10)), to);
  return { from, to, days, countries: countriesOf(days), failing: failingOf(days) };
}

function countriesOf(days: readonly DailyStatistics[]): [string, number][] {
  const plays = new Map<string, number>();
  for (const { countries } of days)
    for (const [country, count] of Object.entries(countries)) plays.set(country, (plays.get(country) ?? 0) + count);
  return [...plays].sort(([, a], [, b]) => b - a);
}

function failingOf(days: readonly DailyStatistics[]): FailingPath[] {
  const paths = new Map<string, FailingPath>();
  for (const { path, status, requests } of days.flatMap(({ failing }) => failing)) {
    const key = `${status} ${path}`;
    paths.set(key, { path, status, requests: requests + (paths.get(key)?.requests ?? 0) });
  }
  return [...paths.values()].sort((a, b) => b.requests - a.requests).slice(0, shownPaths);
}
