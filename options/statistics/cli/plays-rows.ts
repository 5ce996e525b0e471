import type { Row } from "../../../cli/src/columns.ts";
import type { ReleasePlays } from "../contract/plays.ts";

export const playsHeadings = ["RELEASE", "PLAYS", "ERRORS PER 100 PLAYS", "FIRST BYTE"];

/** Row about a release, beside another one. */
export function playsRow({ release, plays, errorsPer100Plays, firstByteMilliseconds }: ReleasePlays): Row {
  const perPlays = String(Math.round(errorsPer100Plays * 10) / 10);
  return { cells: [`#${release.number}`, String(plays), perPlays, `${Math.round(firstByteMilliseconds)} ms`] };
}
