import { limits } from "../../../contract/api/limits.ts";
import type { ReleaseSettings } from "../../../contract/api/releases/release-settings.ts";
import { picturesToChoose } from "../../../contract/folder/picture.ts";
import type { Project } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import { findCopyFacts } from "../../files/copy-facts.ts";
import { type FileContent, Manifest, readManifest } from "../../files/manifests.ts";
import { readRelease, readReleases } from "../../table/releases/release-items.ts";
import type { ProjectActor } from "../authentication.ts";
import { cursorAfter, type Page, sliceOf } from "../pages.ts";
import { ServiceError } from "../service-error.ts";
import { type CopyChanges, compareCopies, compareReleases, type ReleaseChanges } from "./changes.ts";
import { type ChosenContent, choicesOf, decidedFor, decisionsOf } from "./decided.ts";
import { isPreviewOnly, maySee } from "./openers.ts";
import { collectSent, unsentFiles } from "./proofs.ts";

/** An open release expires 7 days after it was opened, or found again: in epoch seconds. */
export function expiryOf(now: Date): number {
  return Math.floor(now.getTime() / 1_000) + limits.openReleaseLifetimeSeconds;
}

/** The release that must be live for a write to happen; null: none may be live; undefined: any or none. */
export type ExpectedRelease = string | null | undefined;

/** The manifest of the live release; an empty one if none is live. */
export async function readLiveManifest({ slug, currentRelease }: Project): Promise<Manifest> {
  return currentRelease ? await readManifest(slug, currentRelease.manifest) : Manifest.empty;
}

/** The files of a manifest that an actor must still send. Those of the live release are known to be there. */
export async function missingFiles(actor: ProjectActor, manifest: Manifest, live: Manifest): Promise<FileContent[]> {
  return await unsentFiles(actor, filesBeside(live, manifest));
}

/** The lengths of the files of a manifest that another one does not have, by their hashes. */
function filesBeside(live: Manifest, manifest: Manifest): ReadonlyMap<string, number> {
  const held = live.sizes();
  return new Map([...manifest.sizes()].filter(([sha256, size]) => held.get(sha256) !== size));
}

/** @throws ServiceError `current_release_changed`, naming the release that is live instead of the expected one */
export function assertCurrent({ currentRelease }: Project, expected: ExpectedRelease): void {
  const live = currentRelease?.id ?? null;
  if (expected === undefined || expected === live) return;
  const detail = live
    ? `Release ${live} is live, not ${expected ?? "none"}. Look at it, then publish again if yours should replace it.`
    : `No release is live, so ${expected} is not either. Publish again without expecting it.`;
  throw new ServiceError("current_release_changed", { detail });
}

/**
 * A release of a project.
 *
 * @throws ServiceError `release_not_found`, also for an open one that has expired
 */
export async function findRelease(slug: string, releaseId: string, now: Date): Promise<Release> {
  const release = await readUnexpired(slug, releaseId, now);
  if (release === undefined) throw new ServiceError("release_not_found");
  return release;
}

/**
 * A release that an actor may see.
 *
 * @throws ServiceError `release_not_found`, also for one that it may not see
 */
export async function findVisible(actor: ProjectActor, releaseId: string, now: Date): Promise<Release> {
  const release = await findRelease(actor.project.slug, releaseId, now);
  if (!maySee(actor, release)) throw new ServiceError("release_not_found");
  return release;
}

/**
 * The sweep deletes nothing that a stored release names, so one that was live once stays complete. What callers that may only open previews
 * have sent to places of their own becomes the project's.
 *
 * @throws ServiceError `release_incomplete`
 */
export async function assertComplete(actor: ProjectActor, release: Release): Promise<void> {
  if (release.publishedAt !== undefined) return;
  const { project } = actor;
  const [manifest, live] = await Promise.all([readManifest(project.slug, release.manifest), readLiveManifest(project)]);
  const { length } = await collectSent(actor, release, filesBeside(live, manifest));
  if (length === 0) return;
  const files = length === 1 ? "1 file of this release is" : `${length} files of this release are`;
  const detail = `${files} not uploaded yet. Upload, then publish again.`;
  throw new ServiceError("release_incomplete", { detail });
}

/** @throws ServiceError `release_withdrawn`: its files may be deleted at any time */
export function assertNotWithdrawn({ withdrawnAt }: Release): void {
  if (withdrawnAt !== undefined) throw new ServiceError("release_withdrawn");
}

/** A release beside another one, mostly the live one. */
export interface ComparedRelease {
  /** In their canonical form. */
  readonly settings: ReleaseSettings;
  readonly changes: ReleaseChanges;
}

/** The same of a release that is stored, with what whoever published it had chosen. */
export interface StoredComparison extends ComparedRelease {
  /** Id of the other release; undefined: it is compared with nothing. */
  readonly comparedWith: string | undefined;
  readonly copies: CopyChanges;
  /** Images of it that can be its project's picture. */
  readonly pictures: readonly string[];
  readonly choices: ChosenContent;
  /** What a person has decided for the project. */
  readonly decided: { readonly settings: ReleaseSettings; readonly choices: ChosenContent };
}

/**
 * Changes that visitors would see if a release of a project took the place of the live one, or saw when it took that of the one before it.
 *
 * @throws ServiceError `release_not_found`, `release_withdrawn`
 */
export async function compareStored(
  actor: ProjectActor,
  { releaseId, base }: { readonly releaseId: string; readonly base: "live" | "previous" },
  now: Date,
): Promise<StoredComparison> {
  const { project } = actor;
  const release = await findVisible(actor, releaseId, now);
  assertNotWithdrawn(release);
  const other = base === "previous" ? await previousOf(actor, release) : project.currentRelease;
  const [manifest, facts, live] = await Promise.all([
    readManifest(project.slug, release.manifest),
    findCopyFacts(project.slug, release.manifest),
    other ? readManifest(project.slug, other.manifest) : Manifest.empty,
  ]);
  const isShown = releaseId === project.currentRelease?.id || !isPreviewOnly(actor);
  const choices = isShown ? choicesOf(release, manifest) : {};
  const decided = decidedFor(await decisionsOf(project), manifest);
  return {
    comparedWith: other?.id,
    settings: manifest.settings,
    changes: compareReleases(live, manifest),
    copies: compareCopies(live, manifest, facts),
    pictures: picturesToChoose(manifest.list(), limits.listedPictures),
    choices,
    decided: isShown ? decided : { ...decided, choices: {} },
  };
}

/** Releases that are looked through for the one before: more than a project keeps. */
const latestReleases = 200;

/** What players got before a release: the one with the next lower number that is still there. One that was never live would follow the live one. */
async function previousOf(
  actor: ProjectActor,
  { number }: Release,
): Promise<Pick<Release, "id" | "manifest"> | undefined> {
  const { slug, currentRelease } = actor.project;
  if (number === undefined) return currentRelease;
  const { items } = await readReleases(slug, { limit: latestReleases });
  const isBefore = (each: Release) => (each.number ?? number) < number && each.withdrawnAt === undefined;
  const earlier = items.filter((each) => isBefore(each) && maySee(actor, each));
  return earlier.sort((a, b) => (b.number ?? 0) - (a.number ?? 0))[0];
}

/** Undefined for a release that has expired, too. */
export async function readUnexpired(slug: string, releaseId: string, now: Date): Promise<Release | undefined> {
  const release = await readRelease(slug, releaseId);
  return release && isExpired(release, now) ? undefined : release;
}

function isExpired({ ttl, discardedAt }: Release, now: Date): boolean {
  return discardedAt !== undefined || (ttl !== undefined && ttl <= Math.floor(now.getTime() / 1_000));
}

/**
 * One page of a project's releases, newest first. It has fewer than asked for if open ones have expired, or the actor may not see some.
 *
 * @throws ServiceError `invalid_cursor`
 */
export async function listReleases(
  actor: ProjectActor,
  page: Page,
  now: Date,
): Promise<{ releases: Release[]; nextCursor: string | null }> {
  const { slug } = actor.project;
  const list = `releases of ${slug}`;
  const { items, last } = await readReleases(slug, sliceOf(page, list));
  const releases = items.filter((release) => !isExpired(release, now) && maySee(actor, release));
  return { releases, nextCursor: cursorAfter(last, list) };
}

/** The status of a release in its project. */
export function releaseStatus(
  { id, publishedAt, withdrawnAt }: Release,
  { currentRelease }: Project,
): "open" | "live" | "published" | "withdrawn" {
  if (currentRelease?.id === id) return "live";
  if (withdrawnAt !== undefined) return "withdrawn";
  return publishedAt === undefined ? "open" : "published";
}
