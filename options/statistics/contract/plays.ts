/*
 * Plays and other facts about a project's releases, from the days of its statistics. The command line and the dashboard compute
 * them from the response, so this file needs no schema library.
 */

/** A day and release of the response of `getStatistics`. */
interface DayOfPlays {
  readonly release: ReleaseName | null;
  readonly first_plays: number;
  readonly repeated_plays: number;
  readonly first_byte_milliseconds: number | null;
  readonly errors: Readonly<Record<string, number>>;
}

interface ReleaseName {
  readonly id: string;
  readonly number: number;
}

/** Plays of a release on all days together. */
export interface ReleasePlays {
  readonly release: ReleaseName;
  readonly plays: number;
  /** Responses from 400 on for each 100 plays. */
  readonly errorsPer100Plays: number;
  /** Time to the first byte of a play, on average. */
  readonly firstByteMilliseconds: number;
}

/** A release beside another one. */
export interface PlaysComparison {
  readonly of: ReleasePlays;
  readonly before: ReleasePlays;
}

/** Releases with fewer plays are not compared: a single slow network would decide. */
export const comparablePlays = 20;

export function playsOf({ first_plays, repeated_plays }: Pick<DayOfPlays, "first_plays" | "repeated_plays">): number {
  return first_plays + repeated_plays;
}

/** All responses from 400 on. */
export function errorsOf({ errors }: Pick<DayOfPlays, "errors">): number {
  return Object.values(errors).reduce((sum, requests) => sum + requests, 0);
}

/** The releases that were played, the one with the highest number first. */
function playsOfReleases(days: readonly DayOfPlays[]): ReleasePlays[] {
  const played = days.filter((of) => of.release !== null && playsOf(of) > 0);
  const all = [...Map.groupBy(played, ({ release }) => release?.id).values()].map(playsOfRelease);
  return all.sort((a, b) => b.release.number - a.release.number);
}

function playsOfRelease(days: readonly DayOfPlays[]): ReleasePlays {
  const sum = (numberOf: (of: DayOfPlays) => number) => days.reduce((total, of) => total + numberOf(of), 0);
  const plays = sum(playsOf);
  return {
    release: days[0]?.release as ReleaseName,
    plays,
    errorsPer100Plays: (sum(errorsOf) / plays) * 100,
    firstByteMilliseconds: sum((of) => (of.first_byte_milliseconds ?? 0) * playsOf(of)) / plays,
  };
}

/**
 * The latest release that was played beside the one before it: what the update did. A release's number is its place, so a roll-back
 * changes nothing of it.
 *
 * @returns undefined if there are no two, or one of them has fewer plays than `comparablePlays`
 */
export function latestUpdate(days: readonly DayOfPlays[]): PlaysComparison | undefined {
  const [of, before] = playsOfReleases(days);
  return comparison(of, before);
}

/**
 * A release beside another one, by their ids.
 *
 * @returns undefined if one of them has fewer plays than `comparablePlays`
 */
export function compareReleases(
  days: readonly DayOfPlays[],
  { of, before }: { readonly of: string; readonly before: string },
): PlaysComparison | undefined {
  const all = playsOfReleases(days);
  const withId = (id: string) => all.find(({ release }) => release.id === id);
  return comparison(withId(of), withId(before));
}

function comparison(of: ReleasePlays | undefined, before: ReleasePlays | undefined): PlaysComparison | undefined {
  if (of === undefined || before === undefined) return undefined;
  return Math.min(of.plays, before.plays) < comparablePlays ? undefined : { of, before };
}
