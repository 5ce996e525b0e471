import { dayMilliseconds } from "../../../contract/api/limits.ts";
import { serverNow } from "../../../contract/api/time/server-time.ts";
import type { PlotMark } from "../../../dashboard/src/plots/plot-content.ts";
import { errorsOf, playsOf } from "../contract/plays.ts";
import type { Statistics } from "./resources.ts";

/** A day of all releases together. */
export interface PlayedDay {
  /** Days since 1970-01-01, in UTC. */
  readonly number: number;
  readonly plays: number;
  readonly firstPlays: number;
  readonly bytes: number;
  readonly errors: number;
  /** The numbers of the releases of its visits, ascending. */
  readonly releases: readonly number[];
}

const numberOf = (day: string) => Date.parse(day) / dayMilliseconds;

/** Every day from the first to the last one of the response; a day without visits has zeros. */
export function playedDays({ from, to, days }: Statistics): PlayedDay[] {
  const byNumber = Map.groupBy(days, ({ day }) => numberOf(day));
  const length = numberOf(to) - numberOf(from) + 1;
  return Array.from({ length }, (_, index) => {
    const number = numberOf(from) + index;
    const of = byNumber.get(number) ?? [];
    const sum = (numberIn: (one: Statistics["days"][number]) => number) =>
      of.reduce((total, one) => total + numberIn(one), 0);
    return {
      ...{ number, plays: sum(playsOf), firstPlays: sum((one) => one.first_plays) },
      ...{ bytes: sum((one) => one.bytes), errors: sum(errorsOf) },
      releases: of.flatMap(({ release }) => release?.number ?? []).sort((a, b) => a - b),
    };
  });
}

export const hourMilliseconds = 3_600_000;

/** The plays of each hour from the beginning of the first day on, the present one last; the hours are numbered since 1970-01-01. */
export function playedHours({ from, hours }: Pick<Statistics, "from" | "hours">, now = serverNow()) {
  const counted = new Map(hours.map(({ at, plays }) => [Date.parse(at) / hourMilliseconds, plays]));
  const first = Date.parse(from) / hourMilliseconds;
  return Array.from({ length: Math.floor(now / hourMilliseconds) - first + 1 }, (_, index) => {
    const number = first + index;
    return { number, plays: counted.get(number) ?? 0 };
  });
}

/**
 * The beginning of the day of each release's first visit. A release with visits on the very first day may be older, so it is not marked.
 * Releases of the same day share a mark.
 */
export function releaseMarks(days: readonly PlayedDay[]): PlotMark[] {
  const seen = new Set(days[0]?.releases);
  return days.flatMap(({ number, releases }) => {
    const fresh = releases.filter((release) => !seen.has(release));
    for (const release of fresh) seen.add(release);
    const [first, last] = [fresh[0], fresh.at(-1)];
    if (first === undefined || last === undefined) return [];
    return [
      { at: number - 0.5, text: fresh.length > 2 ? `#${first} to #${last}` : fresh.map((one) => `#${one}`).join(", ") },
    ];
  });
}
