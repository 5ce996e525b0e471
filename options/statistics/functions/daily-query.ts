/*
 * Query on the access log (options/statistics/contract/log-fields.ts): one text for Athena, which has a stage's log as Parquet, and for SQLite, which
 * has the local service's. So it keeps to what both have: no regular expressions, no grouping sets, no approximate functions.
 */

/** Name that the database has for the log. */
const logTable = "access_log";

const partitionOf = (date: string) => date.replaceAll("-", "/");

/** Paths that fail and are kept, of a release and day. */
const failingPaths = 10;

/** A missing value is a hyphen. */
const textOf = (column: string) => `coalesce(nullif(${column}, '-'), '')`;

/**
 * A number of a row; 0 for what is none, or is more than a response can have: one such row must not end the query of all games. Athena
 * and DuckDB have `try`, which is NULL if a cast fails; the local log defines it (options/statistics/local/worker.ts).
 */
const numberOf = (value: string, most: number) => `CASE WHEN ${value} BETWEEN 0 AND ${most} THEN ${value} ELSE 0 END`;
const maxBytes = 1_000_000_000_000;
const maxSeconds = 86_400;

const hoursOfDay = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));
/** Plays in each hour of the day, 24 numbers with spaces between them; nothing if there are none. A column, since rows cost more. */
const playsByHour = `CASE sum(play) WHEN 0 THEN '' ELSE ${hoursOfDay
  .map((hour) => `CAST(sum(CASE hour_of_day WHEN '${hour}' THEN play ELSE 0 END) AS VARCHAR)`)
  .join(" || ' ' ||\n    ")} END`;

/** Release and mark of the row (edge/viewer-request.ts); empty if no viewer's function had the request. */
const logged = textOf("viewer_request_log_data");
const releaseName = `CASE ${logged} WHEN '' THEN '' ELSE substr(${logged}, 1, length(${logged}) - 2) END`;
/** Whether a response is a play: of a page that somebody opened, with its bytes or without. */
const isPlay = `sc_status IN ('200', '304') AND substr(${logged}, -2) = '.p'`;

/** Status of a page that somebody opens and that is not there: nothing of the game failed. */
export const missedPage = "404p";
const isMissedPage = `sc_status = '404' AND substr(${logged}, -2) = '.p'`;

/** The host of all rows whose host no release is known of, made-up ones mostly. It comes last. */
const unknownHost = "~";
/** Condition for a row of a known release. Only the origin knows all projects: any response but an error shows that there is one. */
const isOfRelease = `(length(${logged}) > 2 OR (${logged} <> '' AND sc_status IN ('200', '304')))`;

/** The rows of a day: a late one may be in the partition of the next day. */
const rowsOf = (day: string, next: string) =>
  `day BETWEEN '${partitionOf(day)}' AND '${partitionOf(next)}' AND "date" = '${day}'`;

/**
 * Requests by players on a day, by host and release. A row with an empty path sums responses of a status, and with a country
 * plays alone: responses to requests for a page that was opened, with its bytes (200) or without (304). A row with a path has
 * the responses of a status that it failed with: of the paths that fail most. Pages that are opened and not there have a status of their own,
 * and no path: anybody types them, and robots try hundreds. All hosts of which no row has a release are one
 * sum: anybody can make up a million.
 *
 * @param days the day as `2026-11-25`, and the one after it
 */
export function dailyQuery({ day, next }: { readonly day: string; readonly next: string }): string {
  const ofDay = rowsOf(day, next);
  return `WITH known AS (
  SELECT DISTINCT lower(x_host_header) AS known_host FROM ${logTable} WHERE ${ofDay} AND ${isOfRelease}
), parsed AS (
  SELECT lower(x_host_header) AS named_host, ${releaseName} AS release_name,
    CASE WHEN ${isMissedPage} THEN '${missedPage}' ELSE sc_status END AS status,
    try(CAST(sc_bytes AS BIGINT)) AS sent, try(CAST(time_to_first_byte AS DOUBLE)) AS waited,
    ${textOf("c_country")} AS country, CASE WHEN ${isPlay} THEN 1 ELSE 0 END AS play,
    substr("time", 1, 2) AS hour_of_day
  FROM ${logTable}
  WHERE ${ofDay}
), requests AS (
  SELECT coalesce(known_host, '${unknownHost}') AS host, release_name, status, country, play, hour_of_day,
    ${numberOf("sent", maxBytes)} AS bytes, ${numberOf("waited", maxSeconds)} * 1000 AS first_byte
  FROM parsed LEFT JOIN known ON known_host = named_host
), failing AS (
  SELECT known_host AS host, ${releaseName} AS release_name, sc_status AS status, cs_uri_stem AS path, count(*) AS requests
  FROM ${logTable} INNER JOIN known ON known_host = lower(x_host_header)
  WHERE ${ofDay} AND sc_status >= '400' AND NOT (${isMissedPage})
  GROUP BY 1, 2, 3, 4
), ranked AS (
  SELECT host, release_name, status, path, requests,
    row_number() OVER (PARTITION BY host, release_name ORDER BY requests DESC, path, status) AS place
  FROM failing
)
SELECT host, release_name, status, '' AS path, CASE play WHEN 1 THEN country ELSE '' END AS country, count(*) AS requests,
  sum(play) AS plays, sum(bytes) AS bytes, CAST(round(sum(play * first_byte)) AS BIGINT) AS first_byte_milliseconds,
  ${playsByHour} AS plays_by_hour
FROM requests
GROUP BY 1, 2, 3, 5
UNION ALL
SELECT host, release_name, status, path, '', requests, 0, 0, 0, ''
FROM ranked
WHERE place <= ${failingPaths}
ORDER BY 1, 2, 3, 4, 5`;
}

/** The number of a day's rows, late ones too. */
export function requestsQuery({ day, next }: { readonly day: string; readonly next: string }): string {
  return `SELECT count(*) FROM ${logTable} WHERE ${rowsOf(day, next)}`;
}

/** A row of {@link dailyQuery}. */
export interface CountedRow {
  readonly host: string;
  /** The name by which the edge knows the release; empty if none was looked at. */
  readonly release: string;
  readonly status: string;
  /** Empty in a row that sums. */
  readonly path: string;
  /** Country of the plays. */
  readonly country: string;
  readonly requests: number;
  readonly plays: number;
  readonly bytes: number;
  readonly firstByteMilliseconds: number;
  /** Plays in each hour of the day, in UTC; empty if there are none. */
  readonly playsByHour: readonly number[];
}

/** The row of these values, in the order of the query's columns. */
export function rowOf(values: readonly string[]): CountedRow {
  const [host = "", release = "", status = "", path = "", country = "", ...numbers] = values;
  const [requests = 0, plays = 0, bytes = 0, firstByteMilliseconds = 0] = numbers.slice(0, 4).map(Number);
  const playsByHour = numbers[4] ? numbers[4].split(" ").map(Number) : [];
  return { host, release, status, path, country, requests, plays, bytes, firstByteMilliseconds, playsByHour };
}
