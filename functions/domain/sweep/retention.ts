import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import type { Project } from "../../entities/project.ts";
import { proofsPrefix } from "../../files/object-keys.ts";
import { filesDigestOf } from "../../table/releases/open-releases.ts";
import type { SweptRelease } from "../../table/sweep/object-items.ts";
import { openPreviews, restorableUntil } from "../projects/state.ts";

/** Number of a project's releases that are kept, and for how long; settings of the stage. */
export interface Retention {
  /** Number of the latest releases that were live and are kept. */
  readonly releases: number;
  /** Days for which a release that was live is kept. */
  readonly days: number;
}

/**
 * The releases that are not kept any more. Kept are the live one, those with a preview or a schedule, open ones until nobody can upload to them,
 * the last ones that were live, and all that were live in the last days. Of withdrawn ones the item alone is kept, for as many days, and
 * nothing of others with their files and settings. Of a deleted project nothing is kept once its sweep has begun.
 */
export function releasesToEnd(
  project: Project,
  releases: readonly SweptRelease[],
  retention: Retention,
  now: Date,
): SweptRelease[] {
  if (project.sweepBegunAt !== undefined) return [...releases];
  const isOld = (time: string | undefined) =>
    time !== undefined && Date.parse(time) < now.getTime() - retention.days * dayMilliseconds;
  const withdrawnFiles = digestsOfWithdrawn(releases);
  const usable = releases.filter((release) => !withdrawnFiles.has(filesDigestOf(release)));
  const published = usable.filter(({ publishedAt }) => publishedAt !== undefined).toSorted(byPublication);
  const isShown = ({ id }: SweptRelease) =>
    id === project.schedule?.releaseId || openPreviews(project, now).some(({ releaseId }) => releaseId === id);
  const old = published.filter((release, index) => {
    if (release.id === project.currentRelease?.id || index < retention.releases || isShown(release)) return false;
    // It was live until another one was: at the latest until the next one was last published.
    return isOld(published[index - 1]?.publishedAt);
  });
  const unusable = releases.filter(
    (release) => withdrawnFiles.has(filesDigestOf(release)) && release.withdrawnAt === undefined,
  );
  // These last: as long as one is stored, no release with its files and settings can go live.
  const withdrawn = releases.filter(({ withdrawnAt }) => isOld(withdrawnAt));
  return [...old, ...usable.filter((release) => isGivenUp(release, now)), ...unusable, ...withdrawn];
}

/** The manifests whose objects are needed: those of all releases that are live or can be. */
export function referencedManifests(releases: readonly SweptRelease[]): Set<string> {
  const withdrawn = digestsOfWithdrawn(releases);
  return new Set(releases.filter((release) => !withdrawn.has(filesDigestOf(release))).map(({ manifest }) => manifest));
}

/** The manifests of open releases by the folder of the opener that may have to show that it has their files. */
export function provingManifests(slug: string, releases: readonly SweptRelease[]): Map<string, Set<string>> {
  const proving = new Map<string, Set<string>>();
  for (const { manifest, ttl, openers = [] } of releases)
    for (const opener of ttl === undefined ? [] : openers) {
      const prefix = proofsPrefix(slug, opener);
      proving.set(prefix, (proving.get(prefix) ?? new Set()).add(manifest));
    }
  return proving;
}

/** The digests, without deltas, of the files that are withdrawn. */
function digestsOfWithdrawn(releases: readonly SweptRelease[]): Set<string> {
  return new Set(releases.filter(({ withdrawnAt }) => withdrawnAt !== undefined).map(filesDigestOf));
}

/** The last one first. */
function byPublication(a: SweptRelease, b: SweptRelease): number {
  return Date.parse(b.publishedAt ?? "") - Date.parse(a.publishedAt ?? "");
}

/**
 * Whether nobody can upload to an open release any more: it expired an hour ago, the longest lifetime of an upload URL. A
 * release that was live once does not expire.
 */
function isGivenUp({ ttl }: SweptRelease, now: Date): boolean {
  return ttl !== undefined && ttl + limits.uploadUrlLifetimeSeconds < now.getTime() / 1_000;
}

/**
 * Whether a deleted project cannot be restored any more, an hour later, for clocks that differ. A suspended one is kept as
 * evidence, unless the operator took it down.
 */
export function isClosedForGood({ deletedAt, suspension }: Project, now: Date): boolean {
  if (deletedAt === undefined || (suspension !== undefined && !suspension.isTakedown)) return false;
  return restorableUntil(deletedAt).getTime() + 3_600_000 < now.getTime();
}
