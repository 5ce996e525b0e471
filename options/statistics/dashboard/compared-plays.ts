import { number } from "../../../dashboard/src/format.ts";
import type { PlaysComparison, ReleasePlays } from "../contract/plays.ts";

const figures: readonly (readonly [title: string, of: (release: ReleasePlays) => string])[] = [
  ["Plays", ({ plays }) => number(plays)],
  ["Failed requests per 100 plays", ({ errorsPer100Plays }) => number(errorsPer100Plays, 1)],
  ["First byte", ({ firstByteMilliseconds }) => `${number(firstByteMilliseconds)} ms`],
];

/** Rows of a table: what is compared of the plays of two releases, the other one's first. */
export function comparedPlays({ of, before }: PlaysComparison): (readonly [string, string, string])[] {
  return figures.map(([title, textOf]) => [title, textOf(before), textOf(of)]);
}
