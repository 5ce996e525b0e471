import { isDeepStrictEqual } from "node:util";
import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import { slugPattern } from "../../../contract/api/slug.ts";
import { releaseName } from "../../../edge/pointer.ts";
import type { DailyStatistics } from "../../entities/daily-statistics.ts";
import * as environment from "../../environment.ts";
import { dayOf } from "../../table/accounts/creation-counts.ts";
import { ttlAfter } from "../../table/attributes.ts";
import { readProjects } from "../../table/projects/project-items.ts";
import { readReleases } from "../../table/releases/release-items.ts";
import { putStatistics, readStatisticsOf } from "../../table/statistics/statistics-items.ts";
import { type Counts, countsOf } from "./daily-counts.ts";
import { type CountedRow, dailyQuery, rowOf } from "./daily-query.ts";

/** CloudFront delivers a row up to 24 hours late ("Timing of log file delivery"), and a run comes some time after it. */
const lateMilliseconds = 26 * 3_600_000;

const dayAfter = (day: string) => dayOf(new Date(Date.parse(day) + dayMilliseconds));

/** The days, in UTC, of which the log may have new rows. */
export function daysToCount(now: Date): string[] {
  const days: string[] = [];
  for (let day = dayOf(new Date(now.getTime() - lateMilliseconds)); day <= dayOf(now); day = dayAfter(day))
    days.push(day);
  return days;
}

type Query = (sql: string) => AsyncIterable<readonly string[]>;

/** So many projects are read from the table at once. */
const hostsAtOnce = 50;

interface CountResult {
  readonly projects: number;
  readonly written: number;
}

/**
 * Counts the plays of a day, and replaces the statistics that have changed. The memory that it takes does not grow with the
 * number of games: the query gives its rows by host.
 */
export async function countDay(day: string, query: Query, now: Date): Promise<CountResult> {
  const result = { projects: 0, written: 0 };
  let hosts = new Map<string, CountedRow[]>();
  const count = async () => {
    const { projects, written } = await countHosts(day, hosts, now);
    result.projects += projects;
    result.written += written;
    hosts = new Map();
  };
  for await (const values of query(dailyQuery({ day, next: dayAfter(day) }))) {
    const row = rowOf(values);
    if (!hosts.has(row.host) && hosts.size === hostsAtOnce) await count();
    const ofHost = hosts.get(row.host);
    if (ofHost === undefined) hosts.set(row.host, [row]);
    else ofHost.push(row);
  }
  await count();
  return result;
}

/** The slug of a game's own host; undefined for a preview's, and for names that no project can have. */
function slugOf(host: string): string | undefined {
  const end = `.${environment.gamesDomain()}`;
  const slug = host.endsWith(end) ? host.slice(0, -end.length) : "";
  return slugPattern.test(slug) ? slug : undefined;
}

async function countHosts(
  day: string,
  hosts: ReadonlyMap<string, readonly CountedRow[]>,
  now: Date,
): Promise<CountResult> {
  const rows = [...hosts].flatMap(([host, of]) => {
    const slug = slugOf(host);
    return slug === undefined ? [] : [{ slug, of }];
  });
  const projects = await readProjects(rows.map(({ slug }) => slug));
  const played = rows.filter((_, index) => projects[index] !== undefined);
  const written = await Promise.all(played.map(({ slug, of }) => replaceStatistics(slug, day, countsOf(of), now)));
  return { projects: played.length, written: written.reduce((sum, count) => sum + count, 0) };
}

/** @returns how many have changed */
async function replaceStatistics(
  slug: string,
  day: string,
  counted: ReadonlyMap<string, Counts>,
  now: Date,
): Promise<number> {
  const releases = [...counted.keys()];
  const known = await readStatisticsOf(releases.map((release) => ({ slug, day, release })));
  const named = known.includes(undefined) ? await releasesByName(slug) : new Map();
  let written = 0;
  for (const [index, [release, counts]] of [...counted].entries()) {
    const { PK: _, SK: __, ...before } = (known[index] ?? {}) as Partial<DailyStatistics & Record<"PK" | "SK", string>>;
    const { releaseId, releaseNumber, ttl = ttlAfter(now, limits.statisticsRetentionDays) } = before;
    const ofRelease = known[index] ? { ...(releaseId && { releaseId, releaseNumber }) } : named.get(release);
    const statistics: DailyStatistics = { day, release, ...ofRelease, ...counts, ttl };
    if (isDeepStrictEqual(statistics, before)) continue;
    await putStatistics(slug, statistics);
    written += 1;
  }
  return written;
}

/** More than a project keeps. */
const latestReleases = 200;

/** The ids and numbers of a project's releases by their names at the edge. */
async function releasesByName(
  slug: string,
): Promise<Map<string, Pick<DailyStatistics, "releaseId" | "releaseNumber">>> {
  const { items } = await readReleases(slug, { limit: latestReleases });
  const live = items.filter(({ number }) => number !== undefined);
  return new Map(
    live.map(({ id, manifest, number }) => [releaseName(manifest), { releaseId: id, releaseNumber: number as number }]),
  );
}
