import { readManifest } from "../../files/manifests.ts";
import { moveCurrentRelease } from "../../table/releases/releases.ts";
import { type Actor, type ProjectActor, tokenOf } from "../authentication.ts";
import type { CurrentRelease, Project, Publisher, Release } from "../entities.ts";
import { ServiceError } from "../service-error.ts";
import {
  assertCurrent,
  assertNotWithdrawn,
  type ExpectedRelease,
  findRelease,
  missingFiles,
  readLiveManifest,
} from "./releases.ts";

/** A release that is live now, with its project. */
export interface Published {
  readonly release: Release;
  readonly project: Project;
  readonly previousRelease: string | null;
}

/** Which release shall go live, and which one must be live before it. */
interface Publication {
  readonly releaseId: string;
  readonly expectCurrent: ExpectedRelease;
}

/**
 * Makes a release live; for an earlier release this is a rollback. Where it is live already, nothing is written. Of racing
 * calls that expect the same live release, one succeeds; without an expectation the last one stays live.
 *
 * @throws ServiceError `release_not_found`; `release_withdrawn`, also where another one with the same files was withdrawn;
 *   `current_release_changed`, naming the live release; `release_incomplete` where files are missing
 */
export async function publishRelease(
  actor: ProjectActor,
  { releaseId, expectCurrent }: Publication,
  now: Date,
): Promise<Published> {
  const { project } = actor;
  const publishedBy = publisherOf(actor);
  const release = await findRelease(project.slug, releaseId, now);
  if (project.currentRelease?.id === releaseId) return published(release, project, project.currentRelease);
  assertNotWithdrawn(release);
  assertCurrent(project, expectCurrent);
  await assertComplete(project, release);
  const moved = await moveCurrentRelease({ project, release, publishedBy, token: tokenOf(actor), now });
  if (moved === undefined) throw new ServiceError("release_withdrawn");
  return published(moved.release, { ...project, currentRelease: moved.currentRelease }, moved.currentRelease);
}

function publisherOf(actor: Actor): Publisher {
  const token = tokenOf(actor);
  return { accountKey: actor.account.key, token: token === undefined ? null : { id: token.id, name: token.name } };
}

function published({ ttl, ...release }: Release, project: Project, current: CurrentRelease): Published {
  return { release: { ...release, publishedAt: current.publishedAt }, project, previousRelease: current.previous };
}

/** The sweep deletes nothing that a stored release names, so one that was live once stays complete. */
async function assertComplete(project: Project, release: Release): Promise<void> {
  if (release.publishedAt !== undefined) return;
  const [manifest, live] = await Promise.all([readManifest(project.slug, release.manifest), readLiveManifest(project)]);
  const { length } = await missingFiles(project.slug, manifest, live);
  if (length === 0) return;
  const detail = `${length} ${length === 1 ? "file" : "files"} of this release not uploaded yet. Upload, then publish again.`;
  throw new ServiceError("release_incomplete", { detail });
}
