import { limits } from "../../../contract/api/limits.ts";
import type { Preview, Project } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import { keys } from "../../table/keys.ts";
import { storeEnded, storeOpened } from "../../table/projects/preview-items.ts";
import { readItems } from "../../table/read.ts";
import { type ProjectActor, tokenOf } from "../authentication.ts";
import { assertComplete, findRelease } from "../releases/releases.ts";
import { ServiceError } from "../service-error.ts";
import { bringToEdge, type EdgeState } from "./pointers.ts";
import { openPreviews } from "./state.ts";

/** A preview, with the open release that it shows. */
export interface PreviewedRelease {
  readonly preview: Preview;
  readonly release: Release;
}

/**
 * Lets an open release be played at a URL of its own until it expires. If it has a preview that expires with it, nothing is written
 * but what the games' edge still lacks.
 *
 * @throws ServiceError `release_not_found`, `release_not_open`, `release_incomplete`, `too_many_previews`
 */
export async function openPreview(
  actor: ProjectActor,
  releaseId: string,
  now: Date,
): Promise<PreviewedRelease & { readonly edge: EdgeState }> {
  const { project } = actor;
  const release = await findRelease(project.slug, releaseId, now);
  if (release.ttl === undefined) throw new ServiceError("release_not_open");
  await assertComplete(project, release);
  const preview = { releaseId, manifest: release.manifest, expiresAt: release.ttl };
  const others = openPreviews(project, now).filter((other) => other.releaseId !== releaseId);
  if (others.length >= limits.previewsPerProject) throw new ServiceError("too_many_previews");
  const isOpen = project.previews?.some((open) => open.releaseId === releaseId && open.expiresAt === release.ttl);
  const change = { previews: [...others, preview], opened: preview, release };
  if (!isOpen) await storeOpened(project, change, { token: tokenOf(actor), now });
  return { preview, release, edge: await bringToEdge([project.slug], now) };
}

/** Ends the preview of a release. If it has none, nothing is written but what the games' edge still lacks. */
export async function endPreview(actor: ProjectActor, releaseId: string, now: Date): Promise<EdgeState> {
  const { project } = actor;
  const left = openPreviews(project, now).filter((preview) => preview.releaseId !== releaseId);
  if (left.length < (project.previews ?? []).length) await storeEnded(project, left, { token: tokenOf(actor), now });
  return await bringToEdge([project.slug], now);
}

/** The previews of a project that are open, the first one that was opened first. */
export async function listPreviews(project: Project, now: Date): Promise<PreviewedRelease[]> {
  const previews = openPreviews(project, now);
  const releases = await readItems(previews.map(({ releaseId }) => keys.release(project.slug, releaseId)));
  return previews.flatMap((preview, index) => {
    const release = releases[index];
    return release ? [{ preview, release }] : [];
  });
}
