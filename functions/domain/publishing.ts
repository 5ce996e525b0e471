import { ServiceError } from "../../contract/errors.ts";
import { readManifest } from "../files/manifests.ts";
import { assertCurrent, type ExpectedRelease } from "../table/expected-release.ts";
import { moveCurrentRelease } from "../table/live-release.ts";
import type { CurrentRelease, Project } from "../table/projects.ts";
import type { Release } from "../table/releases.ts";
import { findRelease, missingFiles, readLiveManifest } from "./releases.ts";

const maximumAttempts = 10;

/** A release that is live now, in its project as it now is. */
export interface Published {
  readonly release: Release;
  readonly project: Project;
  readonly previousRelease: string | null;
}

/** Which release shall go live, in the place of which one, and the token that asks for it. */
interface Publication {
  readonly releaseId: string;
  readonly expectCurrent: ExpectedRelease;
  readonly tokenId: string | undefined;
}

/**
 * Makes a release live; on one that was live before this is a rollback. What is live already stays so, and nothing is
 * written. Of racing calls that expect one and the same live release, one wins; without an expectation the last wins.
 *
 * @throws ServiceError `release_not_found`; `current_release_changed`, naming the live release; `release_incomplete`
 *   where files are missing
 */
export async function publishRelease(
  project: Project,
  { releaseId, expectCurrent, tokenId }: Publication,
  now: Date,
): Promise<Published> {
  let current = project;
  for (let attempt = 0; attempt < maximumAttempts; attempt += 1) {
    const release = await findRelease(current.slug, releaseId, now);
    if (current.currentRelease?.id === releaseId) return published(release, current, current.currentRelease);
    assertCurrent(current, expectCurrent);
    if (attempt === 0) await assertComplete(current, release);
    const moved = await moveCurrentRelease({ project: current, release, tokenId, now });
    current = moved.project;
    if (moved.done && current.currentRelease) return published(release, current, current.currentRelease);
  }
  throw new ServiceError("temporarily_unavailable");
}

function published({ ttl, ...release }: Release, project: Project, current: CurrentRelease): Published {
  return { release: { ...release, publishedAt: current.publishedAt }, project, previousRelease: current.previous };
}

/** Files are never deleted, so a release that was live once is complete for good. */
async function assertComplete(project: Project, release: Release): Promise<void> {
  if (release.publishedAt !== undefined) return;
  const [manifest, live] = await Promise.all([readManifest(project.slug, release.manifest), readLiveManifest(project)]);
  const { length } = await missingFiles(project.slug, manifest, live);
  if (length === 0) return;
  const detail = `${length} ${length === 1 ? "file" : "files"} of this release not uploaded yet. Upload, then publish again.`;
  throw new ServiceError("release_incomplete", { detail });
}
