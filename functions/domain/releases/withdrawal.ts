import type { Project } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import type { ProjectChange } from "../../table/projects/history.ts";
import { filesDigestOf } from "../../table/releases/open-releases.ts";
import { discardRelease, markReleaseWithdrawn } from "../../table/releases/withdrawal-items.ts";
import { readEveryRelease } from "../../table/sweep/object-items.ts";
import { bringToEdge, type EdgeState, ownChange } from "../projects/pointers.ts";
import { ServiceError } from "../service-error.ts";
import { findRelease } from "./releases.ts";

/**
 * Withdraws a release that was live: visits that began with it get the live release's files from their next request on,
 * it cannot go live again, and the next sweep deletes what only it needs. A withdrawn one stays as it is, and the games' edge gets
 * what it still lacks. An open release, which nobody played but by a preview, expires at once.
 *
 * @throws ServiceError `release_not_found`; `release_live`, also if the live release has the same files and settings
 */
export async function withdrawRelease(
  project: Project,
  releaseId: string,
  made: ProjectChange,
): Promise<{ readonly release: Release; readonly edge: EdgeState }> {
  const { slug } = project;
  const { now } = made;
  const current = await findRelease(slug, releaseId, now);
  const release = current.withdrawnAt === undefined ? await withdraw(project, current, made) : current;
  return { release, edge: await bringToEdge(ownChange(project), now) };
}

async function withdraw(project: Project, release: Release, made: ProjectChange): Promise<Release> {
  if (release.ttl !== undefined) return await discardRelease(project, { ...release, ttl: release.ttl }, made);
  assertNotLive(project, release);
  const releases = await readEveryRelease(project.slug);
  const same = releases.filter((each) => filesDigestOf(each) === filesDigestOf(release));
  return await markReleaseWithdrawn(
    project,
    { release, manifests: new Set([release, ...same].map(({ manifest }) => manifest)) },
    made,
  );
}

function assertNotLive({ currentRelease }: Project, release: Release): void {
  if (currentRelease === undefined || filesDigestOf(currentRelease) !== filesDigestOf(release)) return;
  if (currentRelease.id === release.id) throw new ServiceError("release_live");
  const detail = `Release ${currentRelease.id} is live and has the same files. Publish other files or roll back, then withdraw both.`;
  throw new ServiceError("release_live", { detail });
}
