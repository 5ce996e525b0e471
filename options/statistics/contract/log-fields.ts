/*
 * Fields that are logged of a player's request, and nothing else: no address, no cookie, no query, no user agent
 * (docs/decisions/0071-how-a-game-is-played.md). The names are those of CloudFront's standard logging (v2), from which a stage's log comes
 * ("Standard logging reference" of its Developer Guide); the local service writes the same.
 */

export const logFields = [
  "date",
  "time",
  "x-host-header",
  "cs-uri-stem",
  "sc-status",
  "sc-bytes",
  "time-taken",
  "time-to-first-byte",
  "c-country",
  "x-edge-result-type",
  "cs-protocol",
  // Log of the viewer's function: the name of the release from which the request is served first, empty if only
  // the origin knows it, then `.p` for a GET of a page that somebody opens and that is not prefetched, `.f` for all else.
  "viewer-request-log-data",
] as const;

export type LogField = (typeof logFields)[number];

/** A request as it is logged: CloudFront's values are all text, `-` if there is none. */
export type LogRow = Readonly<Record<LogField, string>>;

/** The name of a field's column in Parquet. */
export function columnOf(field: LogField): string {
  return field.replaceAll("-", "_");
}
