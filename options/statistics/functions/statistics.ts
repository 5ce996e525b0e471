import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import type { DailyStatistics, FailingPath } from "../../../functions/entities/daily-statistics.ts";
import type { Project } from "../../../functions/entities/project.ts";
import { dayOf } from "../../../functions/table/accounts/creation-counts.ts";
import { readStatistics } from "../../../functions/table/projects/statistics-items.ts";
import { mostFailing, sumsBy, sumsByIndex } from "./daily-counts.ts";

/** Statistics of a project from one day to another, both included. */
export interface ProjectStatistics {
  readonly from: string;
  readonly to: string;
  readonly days: readonly DailyStatistics[];
  /** Plays by country, most first; one may be `unknown`. */
  readonly countries: readonly (readonly [country: string, plays: number])[];
  readonly failing: readonly FailingPath[];
  /** Hours with plays, by their beginning. */
  readonly hours: readonly { readonly at: string; readonly plays: number }[];
}

/** The days that a request without them is about. */
const usualDays = 30;
const shownPaths = 20;
/** Days that have the last 24 hours among them. */
const daysByHour = 2;

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
  const { to = dayOf(now) } = wanted;
  const daysBefore = (days: number) => dayOf(new Date(Date.parse(to) - (days - 1) * dayMilliseconds));
  const from = later(wanted.from ?? daysBefore(usualDays), daysBefore(limits.statisticsDays));
  const days = await readStatistics(slug, later(from, dayOf(new Date(createdAt))), to);
  const failing = mostFailing(days.flatMap((each) => each.failing)).slice(0, shownPaths);
  const hours = hoursOf(days.filter(({ day }) => day >= daysBefore(daysByHour)));
  return { from, to, days, countries: countriesOf(days), failing, hours };
}

function hoursOf(days: readonly DailyStatistics[]): ProjectStatistics["hours"] {
  return [...Map.groupBy(days, ({ day }) => day)].flatMap(([day, of]) =>
    sumsByIndex(of.map(({ playsByHour = [] }) => playsByHour))
      .map((plays, hour) => ({ at: `${day}T${String(hour).padStart(2, "0")}:00:00.000Z`, plays }))
      .filter(({ plays }) => plays > 0),
  );
}

function countriesOf(days: readonly DailyStatistics[]): [string, number][] {
  const plays = sumsBy(days.flatMap(({ countries }) => Object.entries(countries)));
  return Object.entries(plays).sort(([, a], [, b]) => b - a);
}
