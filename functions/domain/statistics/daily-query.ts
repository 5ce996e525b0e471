/*
 * What is asked of the access log (edge/log-fields.ts): one text for Athena, which has a stage's log as Parquet, and for SQLite, which has the
 * local service's. So it keeps to what both have: no regular expressions, no grouping sets, no approximate functions.
 */

/** What the database calls the log. */
const logTable = "access_log";

/** So many paths that fail are kept of a release and day. */
const failingPaths = 10;

/** A missing value is a hyphen. */
const textOf = (column: string) => `coalesce(nullif(${column}, '-'), '')`;
const numberOf = (column: string, type: string) => `CAST(coalesce(nullif(${column}, '-'), '0') AS ${type})`;

/**
 * Whether a response is a play: the first page of a game, with its bytes or without. CloudFront's documents do not say whether the log has the
 * viewer's path or the one that the viewer's function made of it (edge/cache-key.ts), so both count; no game has a folder with a name of 43
 * characters before it.
 */
const isPlay = `sc_status IN ('200', '304') AND (cs_uri_stem IN ('/', '/index.html') OR
  (substr(cs_uri_stem, -4) IN ('/ip/', '/bp/', 'html') AND (${["/", "/index.html"]
    .map((path) => `cs_uri_stem LIKE '/%/${"_".repeat(43)}/_p${path}'`)
    .join(" OR ")})))`;

/**
 * What players requested on a day, by host and release. A row with an empty path sums responses of a status, and with a country plays
 * alone: responses to requests for the first page, with its bytes (200) or without (304). A row with a path has the responses of a status that it
 * failed with: of the paths that fail most.
 *
 * @param days the day as `2026-11-25`, and the one after it: a late row may be in the partition of the next day
 */
export function dailyQuery({ day, next }: { readonly day: string; readonly next: string }): string {
  const partition = (date: string) => date.replaceAll("-", "/");
  const ofDay = `day BETWEEN '${partition(day)}' AND '${partition(next)}' AND "date" = '${day}'`;
  return `WITH requests AS (
  SELECT lower(x_host_header) AS host, ${textOf("viewer_request_log_data")} AS release_name, sc_status AS status,
    ${numberOf("sc_bytes", "BIGINT")} AS bytes, ${numberOf("time_to_first_byte", "DOUBLE")} * 1000 AS first_byte,
    ${textOf("c_country")} AS country, CASE WHEN ${isPlay} THEN 1 ELSE 0 END AS play
  FROM ${logTable}
  WHERE ${ofDay}
), failing AS (
  SELECT lower(x_host_header) AS host, ${textOf("viewer_request_log_data")} AS release_name, sc_status AS status,
    cs_uri_stem AS path, count(*) AS requests
  FROM ${logTable}
  WHERE ${ofDay} AND sc_status >= '400'
  GROUP BY 1, 2, 3, 4
), ranked AS (
  SELECT host, release_name, status, path, requests,
    row_number() OVER (PARTITION BY host, release_name ORDER BY requests DESC, path, status) AS place
  FROM failing
)
SELECT host, release_name, status, '' AS path, CASE play WHEN 1 THEN country ELSE '' END AS country, count(*) AS requests,
  sum(play) AS plays, sum(bytes) AS bytes, CAST(round(sum(play * first_byte)) AS BIGINT) AS first_byte_milliseconds
FROM requests
GROUP BY 1, 2, 3, 5
UNION ALL
SELECT host, release_name, status, path, '', requests, 0, 0, 0
FROM ranked
WHERE place <= ${failingPaths}
ORDER BY 1, 2, 3, 4, 5`;
}

/** A row of the query. */
export interface CountedRow {
  readonly host: string;
  /** The name by which the edge knows the release; empty if none was looked at. */
  readonly release: string;
  readonly status: string;
  /** Empty in a row that sums. */
  readonly path: string;
  /** Of plays. */
  readonly country: string;
  readonly requests: number;
  readonly plays: number;
  readonly bytes: number;
  readonly firstByteMilliseconds: number;
}

/** The row of these values, in the order of the query's columns. */
export function rowOf(values: readonly string[]): CountedRow {
  const [host = "", release = "", status = "", path = "", country = "", ...numbers] = values;
  const [requests = 0, plays = 0, bytes = 0, firstByteMilliseconds = 0] = numbers.map(Number);
  return { host, release, status, path, country, requests, plays, bytes, firstByteMilliseconds };
}
