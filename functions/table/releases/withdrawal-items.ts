import { limits } from "../../../contract/api/limits.ts";
import type { Project } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import { epochSeconds } from "../attributes.ts";
import { asRead, itemExists } from "../expressions.ts";
import { keys } from "../keys.ts";
import { type ProjectChange, projectEventWrites, releaseEvent } from "../projects/history.ts";
import { pointerWrites } from "../projects/pointer-items.ts";
import { endingPreviewsOf } from "../projects/preview-items.ts";
import { unchangedCondition } from "../projects/project-items.ts";
import { dueSweepWrite } from "../sweep/run-items.ts";
import { change, check, put, transact } from "../transaction.ts";
import { filesDigestOf, type OpenRelease, releaseClosed } from "./open-releases.ts";
import { scheduleEndedByDeletion } from "./schedule-items.ts";

/**
 * Marks a release that is not live as withdrawn, provided that the project is as it was read. In the same transaction its files leave
 * those that visits may continue with and the previews, and are closed for good: neither this release nor another one with
 * the same files and settings is opened or made live.
 *
 * @param manifests the digests of all releases with the same files and settings, which differ in their deltas
 */
export async function markReleaseWithdrawn(
  project: Project,
  { release, manifests }: { readonly release: Release; readonly manifests: ReadonlySet<string> },
  made: ProjectChange,
): Promise<Release> {
  const { slug } = project;
  const { now } = made;
  const { id, manifest } = release;
  const withdrawnAt = now.toISOString();
  const ending = endingPreviewsOf(project, manifests, true);
  const endedSchedule = scheduleEndedByDeletion(project, manifests, made);
  await transact({
    project: withoutManifests(project, manifests, ending, endedSchedule),
    release: change(keys.release(slug, id), { withdrawnAt }, itemExists, asRead({ withdrawnAt: undefined })),
    // If an open release has the manifest too, it loses its place: it cannot go live any more.
    openManifest: [...new Set([manifest, filesDigestOf(release)])].map((digest) =>
      put(keys.openManifest(slug, digest), { releaseId: id, withdrawnAt }),
    ),
    event: projectEventWrites(project, made, releaseEvent("release_withdrawn", release, made)),
    endedSchedule: endedSchedule?.event,
    pointer: pointerWrites([slug], now, ending.ended),
    sweep: dueSweepWrite(slug, now),
  });
  return { ...release, withdrawnAt };
}

/**
 * Lets an open release expire now, ends its previews, and takes its manifest from those that other previews showed before, provided
 * that the project and the release are as they were read: what is uploaded of it is swept as of any that has expired, and the same
 * files can be opened again.
 */
export async function discardRelease(project: Project, release: OpenRelease, made: ProjectChange): Promise<Release> {
  const { slug } = project;
  const { now } = made;
  const { id, manifest } = release;
  const ttl = epochSeconds(now);
  const manifests = new Set([manifest]);
  const ending = endingPreviewsOf(project, manifests, true);
  const endedSchedule = scheduleEndedByDeletion(project, manifests, made);
  const discardedAt = now.toISOString();
  const set = ending.sets.length > 0 ? `SET ${ending.sets.join(", ")} ` : "";
  await transact({
    project: change(
      keys.project(slug),
      `${set}ADD openReleases :less${endedSchedule?.remove ?? ""}`,
      unchangedCondition(project),
      ending,
      {
        values: { ":less": -1 },
      },
    ),
    release: change(keys.release(slug, id), { ttl, discardedAt }, asRead({ ttl: release.ttl })),
    openManifest: releaseClosed(slug, release),
    endedSchedule: endedSchedule?.event,
    pointer: pointerWrites([slug], now, ending.ended),
    // Its upload URLs have expired by then.
    sweep: dueSweepWrite(slug, new Date(now.getTime() + (limits.uploadUrlLifetimeSeconds + 60) * 1_000)),
  });
  return { ...release, ttl, discardedAt };
}

function withoutManifests(
  project: Project,
  manifests: ReadonlySet<string>,
  { sets, values }: ReturnType<typeof endingPreviewsOf>,
  endedSchedule: ReturnType<typeof scheduleEndedByDeletion>,
) {
  const unchanged = unchangedCondition(project);
  const earlier = project.currentRelease?.earlier?.filter((digest) => !manifests.has(digest));
  const all = [...(earlier ? ["currentRelease.earlier = :earlier"] : []), ...sets];
  const set = all.length > 0 ? `SET ${all.join(", ")}` : "";
  const expression = `${set}${endedSchedule?.remove ?? ""}`;
  if (expression === "") return check(keys.project(project.slug), unchanged);
  return change(keys.project(project.slug), expression, unchanged, {
    values: { ...values, ...(earlier && { ":earlier": earlier }) },
  });
}
