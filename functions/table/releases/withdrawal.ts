import type { Project, Release, Token } from "../../domain/entities.ts";
import { eventWrites } from "../accounts/events.ts";
import { keys } from "../keys.ts";
import { pointerWrites } from "../projects/pointers.ts";
import { unchangedCondition } from "../projects/projects.ts";
import { activeTokenCheck } from "../tokens/tokens.ts";
import { change, check, put, transact } from "../transaction.ts";

/**
 * Marks a release that is not live as withdrawn, provided that the project is as it was read. In the same transaction its
 * manifest leaves those that visits may continue with, and is closed for good: neither this release nor another one with
 * the same files and settings is opened or made live.
 */
export async function markReleaseWithdrawn(
  project: Project,
  release: Release,
  { token, now }: { token: Token | undefined; now: Date },
): Promise<Release> {
  const { slug, ownerKey } = project;
  const { id, manifest } = release;
  const withdrawnAt = now.toISOString();
  await transact({
    token: activeTokenCheck(token, now),
    project: withoutEarlier(project, manifest),
    release: change(keys.release(slug, id), "SET withdrawnAt = :now", {
      condition: "attribute_exists(PK) AND attribute_not_exists(withdrawnAt)",
      values: { ":now": withdrawnAt },
    }),
    // Where an open release has the manifest too, it loses its place: it cannot go live any more.
    openManifest: put(keys.openManifest(slug, manifest), { releaseId: id, withdrawnAt }),
    event: eventWrites(ownerKey, now, { type: "release_withdrawn", project: slug, releaseId: id, tokenId: token?.id }),
    pointer: pointerWrites([slug], now),
  });
  return { ...release, withdrawnAt };
}

function withoutEarlier(project: Project, manifest: string) {
  const { currentRelease } = project;
  const unchanged = unchangedCondition(project);
  if (currentRelease?.earlier === undefined) return check(keys.project(project.slug), unchanged);
  const left = currentRelease.earlier.filter((digest) => digest !== manifest);
  return change(keys.project(project.slug), "SET currentRelease.earlier = :left", {
    ...unchanged,
    values: { ...unchanged.values, ":left": left },
  });
}
