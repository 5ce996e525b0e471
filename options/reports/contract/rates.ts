/*
 * Crashes of releases per 1,000 plays, from the response of `getCrashes`. The command line and the dashboard compute them, so this file needs no
 * schema library.
 */

/** A release of the response of `getCrashes`. */
interface CrashedRelease {
  readonly release: { readonly id: string; readonly number: number | null };
  readonly crashes: number;
  readonly plays: number;
  readonly reasons: Readonly<Record<string, number>>;
  readonly devices: Readonly<Record<string, number>>;
}

/** Of fewer plays one crash would decide. */
export const ratedPlays = 20;

/** Undefined if the release has fewer plays than `ratedPlays`, as far as is counted yet. */
export function crashesPer1000Plays({ crashes, plays }: Pick<CrashedRelease, "crashes" | "plays">): number | undefined {
  return plays < ratedPlays ? undefined : (crashes / plays) * 1_000;
}

/** Releases to be shown, the latest first, if any of them or of their previews has crashed. */
export function shownReleases<R extends CrashedRelease>(releases: readonly R[]): R[] {
  const hasCrashed = releases.some(({ reasons }) => Object.keys(reasons).length > 0);
  return hasCrashed ? releases.slice(0, 10) : [];
}

/** `#3`; a release that was never live has only previews. */
export function releaseTitle({ number }: CrashedRelease["release"]): string {
  return number === null ? "preview" : `#${number}`;
}

/** What a count has most of, with how many: `oom 7`; undefined if it has nothing. */
export function mostOf(counts: Readonly<Record<string, number>>): string | undefined {
  const [most] = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  return most && `${most[0]} ${most[1]}`;
}
