import { limits } from "../../../contract/api/limits.ts";
import {
  firstDay,
  laterDay,
  type Period,
  periodOf,
  type WantedPeriod,
} from "../../../functions/domain/projects/period.ts";
import type { DailyStatistics, FailingPath } from "../../../functions/entities/daily-statistics.ts";
import type { Project } from "../../../functions/entities/project.ts";
import { dayOf } from "../../../functions/table/accounts/creation-counts.ts";
import { readStatistics } from "../../../functions/table/projects/statistics-items.ts";
import { mostFailing, sumsBy, sumsByIndex } from "./daily-counts.ts";

/** Statistics of a project from one day to another, both included. */
export interface ProjectStatistics extends Period {
  readonly days: readonly DailyStatistics[];
  /** Plays by country, most first; one may be `unknown`. */
  readonly countries: readonly (readonly [country: string, plays: number])[];
  readonly failing: readonly FailingPath[];
  /** Hours with plays, by their beginning. */
  readonly hours: readonly { readonly at: string; readonly plays: number }[];
}

const shownPaths = 20;
/** Days that have the last 24 hours among them. */
const daysByHour = 2;

/**
 * The statistics of a project. An earlier project of the same slug is another one, so nothing before its creation is told.
 *
 * @param wanted days as `2026-11-25`; no more than the last 92 of them are told
 */
export async function statisticsOf(
  { slug, createdAt }: Project,
  wanted: WantedPeriod,
  now: Date,
): Promise<ProjectStatistics> {
  const { from, to } = periodOf(wanted, limits.statisticsDays, now);
  const days = await readStatistics(slug, laterDay(from, dayOf(new Date(createdAt))), to);
  const failing = mostFailing(days.flatMap((each) => each.failing)).slice(0, shownPaths);
  const hours = hoursOf(days.filter(({ day }) => day >= firstDay(to, daysByHour)));
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
