import { filePathOf } from "../../../edge/cache/cache-key.ts";
import type { DailyStatistics, FailingPath } from "../../../functions/entities/daily-statistics.ts";
import { type CountedRow, missedPage } from "./daily-query.ts";

/** Counts for a day and a release. */
export type Counts = Omit<DailyStatistics, "day" | "release" | "releaseId" | "releaseNumber" | "ttl">;

/** A path is kept to so many characters. */
const pathLength = 200;

/** The counts of a host's rows by the names of releases. */
export function countsOf(rows: readonly CountedRow[]): Map<string, Counts> {
  const byRelease = Map.groupBy(rows, ({ release }) => release);
  return new Map([...byRelease].map(([release, of]) => [release, countsOfRelease(of)]));
}

function countsOfRelease(rows: readonly CountedRow[]): Counts {
  const sums = rows.filter(({ path }) => path === "");
  const total = (number: keyof CountedRow & ("plays" | "requests" | "bytes" | "firstByteMilliseconds"), of = sums) =>
    of.reduce((sum, row) => sum + row[number], 0);
  const missedPages = total(
    "requests",
    sums.filter(({ status }) => status === missedPage),
  );
  const playsByHour = sumsByIndex(sums.map((row) => row.playsByHour));
  return {
    firstPlays: total(
      "plays",
      sums.filter(({ status }) => status === "200"),
    ),
    repeatedPlays: total(
      "plays",
      sums.filter(({ status }) => status === "304"),
    ),
    firstByteMilliseconds: total("firstByteMilliseconds"),
    ...(playsByHour.length > 0 && { playsByHour }),
    requests: total("requests"),
    bytes: total("bytes"),
    // DynamoDB refuses an empty name in a map.
    countries: sumsBy(sums.filter(({ plays }) => plays > 0).map(({ country, plays }) => [country || "unknown", plays])),
    errors: sumsBy(sums.filter(({ status }) => isError(status)).map(({ status, requests }) => [status, requests])),
    ...(missedPages > 0 && { missedPages }),
    failing: failingOf(rows.filter(({ path }) => path !== "")),
  };
}

function isError(status: string): boolean {
  return status >= "400" && status !== missedPage;
}

/** The sums of the first numbers, of the second ones, and so on. */
export function sumsByIndex(lists: readonly (readonly number[])[]): number[] {
  const sums: number[] = [];
  for (const list of lists) for (const [index, count] of list.entries()) sums[index] = (sums[index] ?? 0) + count;
  return sums;
}

/** The sums of counts of the same name. */
export function sumsBy(counts: readonly (readonly [string, number])[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, count] of counts) sums[name] = (sums[name] ?? 0) + count;
  return sums;
}

/** The paths as viewers sent them, and the file's own for one that names its content; the one that failed most first. */
function failingOf(rows: readonly CountedRow[]): FailingPath[] {
  const pathOf = ({ path }: CountedRow) => filePathOf(path).slice(0, pathLength);
  return mostFailing(rows.map((row) => ({ path: pathOf(row), status: row.status, requests: row.requests })));
}

/** Each path and status once, the one that failed most first. */
export function mostFailing(all: readonly FailingPath[]): FailingPath[] {
  const sums = new Map<string, FailingPath>();
  for (const { path, status, requests } of all) {
    const key = `${status} ${path}`;
    sums.set(key, { path, status, requests: requests + (sums.get(key)?.requests ?? 0) });
  }
  return [...sums.values()].sort((a, b) => b.requests - a.requests);
}
