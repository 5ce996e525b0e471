import type { Project } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import type { DeletionIntent } from "../../entities/sweep-run.ts";
import { asRead, itemExists } from "../expressions.ts";
import { keys, ranges } from "../keys.ts";
import { readItems, readWhole } from "../read.ts";
import { releaseClosed } from "../releases/open-releases.ts";
import { change, check, put, remove, tryTransact } from "../transaction.ts";

/*
 * The sweeper's reads and writes; docs/decisions/0016-sweep.md says what each condition is for.
 */

/** Attributes of a release that a sweep needs: not what its publisher says, which is most of the item. */
export type SweptRelease = Pick<Release, (typeof sweptAttributes)[number]>;

const sweptAttributes = [
  "id",
  "manifest",
  "filesDigest",
  "publishedAt",
  "withdrawnAt",
  "openers",
  "previewOnly",
  "reserved",
  "ttl",
] as const;

/** Every release of a project that has an item. */
export async function readEveryRelease(slug: string): Promise<SweptRelease[]> {
  return await readWhole(ranges.releases(slug), { attributes: sweptAttributes });
}

/**
 * Deletes the item of a release, and what says that its manifest is open or withdrawn.
 *
 * @param project as it was read
 * @returns whether it was deleted: not if it is live, or not as it was read, nor if previews and schedule are not
 */
export async function endRelease(project: Project, release: SweptRelease): Promise<boolean> {
  const isNamed = release.publishedAt === undefined || release.withdrawnAt !== undefined;
  const digests = [release.manifest, ...(release.withdrawnAt && release.filesDigest ? [release.filesDigest] : [])];
  return await endNamed(project, release, isNamed ? digests : []);
}

/** Deletes a release; an item that names one of its digests stays if another release has that digest. */
async function endNamed(project: Project, release: SweptRelease, digests: readonly string[]): Promise<boolean> {
  const failed = await tryEnding(project, release, digests);
  if (failed?.name !== "openManifest") return failed === undefined;
  return await endNamed(project, release, digests.toSpliced(failed.index, 1));
}

async function tryEnding({ slug, previews, schedule }: Project, release: SweptRelease, digests: readonly string[]) {
  return await tryTransact({
    project: check(keys.project(slug), asRead({ previews, schedule }), {
      condition: "(attribute_not_exists(currentRelease) OR currentRelease.id <> :id)",
      values: { ":id": release.id },
    }),
    release: remove(keys.release(slug, release.id), asItWasRead(release)),
    openManifest: digests.map((manifest) => releaseClosed(slug, { id: release.id, manifest })),
  });
}

/** The condition that it did not go live, open again or become withdrawn since it was read. */
function asItWasRead({ publishedAt, withdrawnAt, ttl }: SweptRelease) {
  if (withdrawnAt !== undefined) return asRead({ withdrawnAt });
  return publishedAt === undefined ? asRead({ ttl }) : asRead({ publishedAt, withdrawnAt });
}

/**
 * Writes a deletion intent.
 *
 * @param project as it was read before its releases were
 * @returns whether it was written: not if a release was opened or another intent written since then
 */
export async function writeDeletionIntent(project: Project, deletion: DeletionIntent): Promise<boolean> {
  const { slug, opened, epoch } = project;
  const unchanged = asRead({ opened, epoch, deleting: undefined });
  const failed = await tryTransact({
    project: change(keys.project(slug), { epoch: deletion.epoch, deleting: true }, unchanged),
    deletion: put(keys.deletionIntent(slug), deletion),
  });
  return failed === undefined;
}

/** The deletion intent of a project. */
export async function readDeletionIntent(slug: string): Promise<DeletionIntent | undefined> {
  const [deletion] = await readItems([keys.deletionIntent(slug)]);
  return deletion;
}

/**
 * Gives a deletion that another sweeper left a new epoch and a new lease.
 *
 * @returns whether it is the caller's now: not if the project's epoch is another than that of `left`
 */
export async function takeDeletionOver(slug: string, left: DeletionIntent, next: DeletionIntent): Promise<boolean> {
  const failed = await tryTransact({
    project: change(keys.project(slug), { epoch: next.epoch }, asRead({ epoch: left.epoch, deleting: true })),
    deletion: put(keys.deletionIntent(slug), next),
  });
  return failed === undefined;
}

/** @returns whether it was ended: not if another sweeper took it over */
export async function finishDeletion(slug: string, epoch: number): Promise<boolean> {
  const failed = await tryTransact({
    project: change(keys.project(slug), "REMOVE deleting", asRead({ epoch })),
    deletion: remove(keys.deletionIntent(slug), itemExists),
  });
  return failed === undefined;
}

/**
 * Unpublishes the live release of a deleted project, which cannot be restored from then on.
 *
 * @returns whether it did: not if the project was restored meanwhile
 */
export async function beginClosing({ slug, deletedAt }: Project, now: Date): Promise<boolean> {
  const failed = await tryTransact({
    project: change(keys.project(slug), "SET sweepBegunAt = :now REMOVE currentRelease", asRead({ deletedAt }), {
      values: { ":now": now.toISOString() },
    }),
  });
  return failed === undefined;
}

/** Notes that nothing is left of a deleted project. The URLs of its webhooks are secrets of others. */
export async function endClosing({ slug, sweepBegunAt }: Project, now: Date): Promise<void> {
  const noted = change(keys.project(slug), "SET sweptAt = :now REMOVE webhooks", asRead({ sweepBegunAt }), {
    values: { ":now": now.toISOString() },
  });
  await tryTransact({ project: noted });
}
