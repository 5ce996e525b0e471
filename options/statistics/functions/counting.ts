import { isDeepStrictEqual } from "node:util";
import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import { slugPattern } from "../../../contract/api/projects/slug.ts";
import { releaseName } from "../../../edge/project/pointer.ts";
import type { DailyStatistics } from "../../../functions/entities/daily-statistics.ts";
import * as environment from "../../../functions/environment.ts";
import { dayOf } from "../../../functions/table/accounts/creation-counts.ts";
import { ttlAfter } from "../../../functions/table/attributes.ts";
import { readProjects } from "../../../functions/table/projects/project-items.ts";
import { sentBytesKey, statisticsKey } from "../../../functions/table/projects/statistics-items.ts";
import { readManyItems } from "../../../functions/table/read.ts";
import { readReleases } from "../../../functions/table/releases/release-items.ts";
import { type Counts, countsOf } from "./daily-counts.ts";
import { type CountedRow, dailyQuery, requestsQuery, rowOf } from "./daily-query.ts";
import { putStatistics } from "./statistics-items.ts";
import { countTraffic } from "./traffic.ts";

/** CloudFront delivers a row up to 24 hours late ("Timing of log file delivery"), and a run comes some time after it. */
const lateMilliseconds = 26 * 3_600_000;

const dayAfter = (day: string) => dayOf(new Date(Date.parse(day) + dayMilliseconds));

/** Whether this run is the one of an hour that does what need not be done each half hour. */
export function isOnceAnHour(now: Date): boolean {
  return now.getUTCMinutes() < 30;
}

/** The days, in UTC, of which the log may have new rows: today, and in the first half of an hour earlier ones, which get few. */
export function daysToCount(now: Date): string[] {
  if (!isOnceAnHour(now)) return [dayOf(now)];
  const days: string[] = [];
  for (let day = dayOf(new Date(now.getTime() - lateMilliseconds)); day <= dayOf(now); day = dayAfter(day))
    days.push(day);
  return days;
}

type Query = (sql: string) => AsyncIterable<readonly string[]>;

/** When a day's log is compared: its last rows had twelve hours. */
const comparedAfterMilliseconds = 36 * 3_600_000;
/** Below so many requests a few late rows would be a large share. */
const busyRequests = 1_000;

/** A day of which the log lacks rows. */
export interface LogGap {
  readonly day: string;
  readonly logged: number;
  readonly requests: number;
}

/**
 * Compares the log with the requests that CloudFront itself has counted on a day that ended twelve hours ago: a log that never began is
 * noticed as one that has stopped.
 *
 * @returns the day, if the log lacks more than half of its requests
 */
export async function findLogGap(
  query: Query,
  requestsOn: (day: string) => Promise<number | undefined>,
  now: Date,
): Promise<LogGap | undefined> {
  const day = dayOf(new Date(now.getTime() - comparedAfterMilliseconds));
  const requests = (await requestsOn(day)) ?? 0;
  if (requests < busyRequests) return undefined;
  const logged = await loggedRequests(query, day);
  return logged < requests / 2 ? { day, logged, requests } : undefined;
}

async function loggedRequests(query: Query, day: string): Promise<number> {
  for await (const [count] of query(requestsQuery({ day, next: dayAfter(day) }))) return Number(count);
  return 0;
}

/** Hosts that are counted at once, each of a project or of all its previews. */
const hostsAtOnce = 50;

interface CountResult {
  readonly projects: number;
  readonly written: number;
  /** The slugs of projects whose limit of traffic the operator is to hear of. */
  readonly overLimit: readonly string[];
}

/** The rows of a game's own host; of its previews together, whose plays are not counted, their bytes. */
interface CountedHost {
  readonly slug: string;
  readonly isPreview: boolean;
  readonly rows: CountedRow[];
  bytes: number;
}

/**
 * Counts the plays of a day, and replaces the statistics that have changed; and the traffic, which may limit a project. The memory that it
 * takes does not grow with the number of games: the query gives its rows by host, those of a game's previews one after the other.
 */
export async function countDay(day: string, query: Query, now: Date): Promise<CountResult> {
  const result = { projects: 0, written: 0, overLimit: [] as string[] };
  let hosts = new Map<string, CountedHost>();
  const count = async () => {
    const { projects, written, overLimit } = await countHosts(day, [...hosts.values()], now);
    result.projects += projects;
    result.written += written;
    result.overLimit.push(...overLimit);
    hosts = new Map();
  };
  for await (const values of query(dailyQuery({ day, next: dayAfter(day) }))) {
    const row = rowOf(values);
    const site = siteOf(row.host);
    if (site === undefined) continue;
    const key = `${site.slug} ${site.isPreview}`;
    if (!hosts.has(key) && hosts.size === hostsAtOnce) await count();
    const host = hosts.get(key) ?? { ...site, rows: [], bytes: 0 };
    hosts.set(key, host);
    host.bytes += row.bytes;
    if (!site.isPreview) host.rows.push(row);
  }
  await count();
  return result;
}

/** The project of a host; undefined for names that no project can have. */
function siteOf(host: string): { readonly slug: string; readonly isPreview: boolean } | undefined {
  const end = `.${environment.gamesDomain()}`;
  const [slug = "", ...preview] = host.endsWith(end) ? host.slice(0, -end.length).split("--") : [];
  return slugPattern.test(slug) ? { slug, isPreview: preview.length > 0 } : undefined;
}

async function countHosts(day: string, hosts: readonly CountedHost[], now: Date): Promise<CountResult> {
  const bySlug = Map.groupBy(hosts, ({ slug }) => slug);
  const readings = await readProjects([...bySlug.keys()]);
  const projects = readings.filter((project) => project !== undefined);
  const bytesFromStore = await readManyItems(projects.map(({ slug }) => sentBytesKey(slug, day)));
  const traffic = projects.map((project, index) => {
    const of = bySlug.get(project.slug) ?? [];
    const game = of.find(({ isPreview }) => !isPreview);
    const plays = game?.rows.reduce((sum, row) => sum + row.plays, 0) ?? 0;
    const previews = of.find(({ isPreview }) => isPreview)?.bytes;
    return { project, game: game?.bytes, previews, store: bytesFromStore[index]?.sentBytes, plays };
  });
  const played = hosts.filter(({ slug, isPreview }) => !isPreview && projects.some((each) => each.slug === slug));
  const written = await Promise.all(played.map(({ slug, rows }) => replaceStatistics(slug, day, countsOf(rows), now)));
  return {
    projects: played.length,
    written: written.reduce((sum, count) => sum + count, 0),
    overLimit: await countTraffic(day, traffic, now),
  };
}

/** @returns how many have changed */
async function replaceStatistics(
  slug: string,
  day: string,
  counted: ReadonlyMap<string, Counts>,
  now: Date,
): Promise<number> {
  const releases = [...counted.keys()];
  const storedDays = await readManyItems(releases.map((release) => statisticsKey({ slug, day, release })));
  const named = storedDays.includes(undefined) ? await releasesByName(slug) : new Map();
  let written = 0;
  for (const [index, [release, counts]] of [...counted].entries()) {
    const {
      PK: _,
      SK: __,
      ...storedDay
    } = (storedDays[index] ?? {}) as Partial<DailyStatistics & Record<"PK" | "SK", string>>;
    const { releaseId, releaseNumber, ttl = ttlAfter(now, limits.statisticsRetentionDays) } = storedDay;
    const ofRelease = storedDays[index] ? { ...(releaseId && { releaseId, releaseNumber }) } : named.get(release);
    const statistics: DailyStatistics = { day, release, ...ofRelease, ...counts, ttl };
    if (isDeepStrictEqual(statistics, storedDay)) continue;
    await putStatistics(slug, statistics);
    written += 1;
  }
  return written;
}

/** Releases that are read: more than a project keeps. */
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
