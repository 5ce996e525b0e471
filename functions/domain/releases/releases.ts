import { isDeepStrictEqual } from "node:util";
import { limits } from "../../../contract/limits.ts";
import type { ManifestFile } from "../../../contract/manifest-rules.ts";
import type { ReleaseSettings } from "../../../contract/release-settings.ts";
import { type FileContent, Manifest, readManifest, writeManifest } from "../../files/manifests.ts";
import { findMissing } from "../../files/presence.ts";
import { newId } from "../../table/ids.ts";
import {
  countObject,
  extendRelease,
  insertRelease,
  type OpenRelease,
  readOpenRelease,
} from "../../table/releases/open-releases.ts";
import { readRelease, readReleases } from "../../table/releases/releases.ts";
import { type ProjectActor, tokenOf } from "../authentication.ts";
import type { AnnouncedDeletion, Ledger, Project, Release } from "../entities.ts";
import type { Idempotency } from "../idempotency/entities.ts";
import { cursorAfter, type Page, sliceOf } from "../pages.ts";
import { amountOf, assertRoom, plus } from "../projects/quota.ts";
import { ServiceError } from "../service-error.ts";
import { assertNotBeingDeleted } from "../sweep/deletions.ts";
import { compareReleases, type ReleaseChanges } from "./changes.ts";

/** What a developer wants to publish. */
export interface ReleaseRequest {
  readonly files: readonly ManifestFile[];
  readonly settings: ReleaseSettings;
  readonly expectCurrent: ExpectedRelease;
  readonly description: ReleaseDescription;
  /** Checks and compares everything, and changes nothing. */
  readonly dryRun: boolean;
}

/** What the publisher says about a release. */
export type ReleaseDescription = Pick<Release, "message" | "source">;

/** The release that must be live for a write to happen; null: none may be live; undefined: any or none. */
export type ExpectedRelease = string | null | undefined;

/** A release with what it would change and what must be uploaded before it can go live. */
export interface CreatedRelease {
  /** Undefined for a dry run that would open a new one. */
  readonly release: Release | undefined;
  readonly created: boolean;
  /** In their canonical form. */
  readonly settings: ReleaseSettings;
  readonly changes: ReleaseChanges;
  readonly missing: readonly FileContent[];
}

/**
 * Opens a release, or finds the one that has the same files and settings: the live one, where nothing is left to do, or an open one
 * (a resumed upload). Only files that the live release does not contain are looked for in the store. A request that is repeated by
 * its idempotency key gets the release that it opened, whatever became of that.
 *
 * @throws ServiceError `current_release_changed`, naming the live release; `release_withdrawn` where a release with the same
 *   files and settings was withdrawn; `files_being_deleted` where a deletion names objects of it; `quota_exceeded`, naming
 *   whose quota; `open_release_limit_reached`; `idempotency_result_gone`
 */
export async function createRelease(
  actor: ProjectActor,
  request: ReleaseRequest,
  now: Date,
  idempotency?: Idempotency,
): Promise<CreatedRelease> {
  const { project } = actor;
  const { slug, currentRelease } = project;
  const manifest = Manifest.of(request.files, request.settings);
  const { digest, settings } = manifest;
  if (idempotency?.earlier) return await openedBefore(project, manifest, idempotency.earlier.created, now);
  if (currentRelease?.manifest === digest) return await alreadyLive(slug, currentRelease.id, manifest, now);
  assertCurrent(project, request.expectCurrent);
  const [{ existing, deletion, ledger }, live] = await Promise.all([
    findOpenRelease(project, digest, now),
    readLiveManifest(project),
  ]);
  const changes = compareReleases(live, manifest);
  const [missing, kept] = await Promise.all([
    missingFiles(slug, manifest, live),
    existing && (request.dryRun ? existing : keepOpen(actor, existing, request.description, now)),
  ]);
  if (kept) return { release: kept, created: false, settings, changes, missing };
  // What is missing of an open release was counted when it was opened.
  assertFewOpen(project);
  const packed = await manifest.pack();
  assertRoom({ project, ledger }, plus(amountOf(missing), { bytes: packed.byteLength, objects: 1 }));
  if (request.dryRun) return { release: undefined, created: false, settings, changes, missing };
  assertNotBeingDeleted(manifest, deletion);
  const release = await storeRelease(actor, { digest, packed, missing }, request, { idempotency, now });
  return { release, created: true, settings, changes, missing };
}

function assertFewOpen({ openReleases = 0 }: Project): void {
  if (openReleases >= limits.openReleasesPerProject) throw new ServiceError("open_release_limit_reached");
}

async function openedBefore(project: Project, manifest: Manifest, id: string, now: Date): Promise<CreatedRelease> {
  const [release, live] = await Promise.all([readUnexpired(project.slug, id, now), readLiveManifest(project)]);
  if (release === undefined) throw new ServiceError("idempotency_result_gone");
  assertNotWithdrawn(release);
  const missing = await missingFiles(project.slug, manifest, live);
  return { release, created: true, settings: manifest.settings, changes: compareReleases(live, manifest), missing };
}

async function alreadyLive(slug: string, id: string, manifest: Manifest, now: Date): Promise<CreatedRelease> {
  const { settings } = manifest;
  const release = await findRelease(slug, id, now);
  return { release, created: false, settings, changes: compareReleases(manifest, manifest), missing: [] };
}

/** A manifest as it will be stored, and those of its files that are not stored. */
interface NewManifest {
  readonly digest: string;
  readonly packed: Buffer;
  readonly missing: readonly FileContent[];
}

/** Of racing calls with one manifest one creates the release, which the others find when they begin again. */
async function storeRelease(
  actor: ProjectActor,
  { digest, packed, missing }: NewManifest,
  request: ReleaseRequest,
  { idempotency, now }: { readonly idempotency: Idempotency | undefined; readonly now: Date },
): Promise<Release> {
  const { project } = actor;
  const { files, expectCurrent, description } = request;
  const expectsCurrent = expectCurrent !== undefined;
  const preconditions = { project, expectsCurrent, token: tokenOf(actor), idempotency, now };
  await countObject(preconditions, packed.byteLength);
  await writeManifest(project.slug, digest, packed);
  const createdAt = now.toISOString();
  const release = {
    id: newId(now),
    manifest: digest,
    files: files.length,
    bytes: amountOf(files).bytes,
    createdAt,
    ...description,
    ttl: expiryOf(now),
  };
  await insertRelease(preconditions, release, amountOf(missing));
  return release;
}

/** An open release expires 7 days after it was opened, or found again. */
function expiryOf(now: Date): number {
  return Math.floor(now.getTime() / 1_000) + limits.openReleaseLifetimeSeconds;
}

const extensionIntervalSeconds = 24 * 3_600;

/** Lets an open release expire 7 days from now, at most once a day or with another description. */
async function keepOpen(
  actor: ProjectActor,
  release: OpenRelease,
  description: ReleaseDescription,
  now: Date,
): Promise<Release> {
  const next = { ...release, ...description, ttl: expiryOf(now) };
  const isDescribed = isDeepStrictEqual(next, { ...release, ttl: next.ttl });
  if (isDescribed && next.ttl - release.ttl < extensionIntervalSeconds) return release;
  await extendRelease(actor.project.slug, next, { token: tokenOf(actor), now });
  return next;
}

async function findOpenRelease(
  project: Project,
  manifest: string,
  now: Date,
): Promise<{
  existing: OpenRelease | undefined;
  deletion: AnnouncedDeletion | undefined;
  ledger: Ledger | undefined;
}> {
  const { openManifest, ...read } = await readOpenRelease(project, manifest);
  if (openManifest?.withdrawnAt !== undefined) throw sameFilesWithdrawn(openManifest.releaseId);
  const release = openManifest && (await readUnexpired(project.slug, openManifest.releaseId, now));
  return { existing: release?.ttl === undefined ? undefined : { ...release, ttl: release.ttl }, ...read };
}

function sameFilesWithdrawn(releaseId: string): ServiceError {
  const detail = `Release ${releaseId} had exactly these files and settings and was withdrawn. Change a file, then publish.`;
  return new ServiceError("release_withdrawn", { detail });
}

/** The manifest of the live release; an empty one where none is live. */
async function readLiveManifest({ slug, currentRelease }: Project): Promise<Manifest> {
  return currentRelease ? await readManifest(slug, currentRelease.manifest) : Manifest.empty;
}

/** The files of a manifest that the store does not contain. Those of the live release are known to be there. */
async function missingFiles(slug: string, manifest: Manifest, live: Manifest): Promise<FileContent[]> {
  const held = live.sizes();
  const wanted = [...manifest.sizes()].filter(([sha256, size]) => held.get(sha256) !== size);
  return await findMissing(slug, new Map(wanted));
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
 * The sweep deletes nothing that a stored release names, so one that was live once stays complete.
 *
 * @throws ServiceError `release_incomplete`
 */
export async function assertComplete(project: Project, release: Release): Promise<void> {
  if (release.publishedAt !== undefined) return;
  const [manifest, live] = await Promise.all([readManifest(project.slug, release.manifest), readLiveManifest(project)]);
  const { length } = await missingFiles(project.slug, manifest, live);
  if (length === 0) return;
  const detail = `${length} ${length === 1 ? "file" : "files"} of this release not uploaded yet. Upload, then publish again.`;
  throw new ServiceError("release_incomplete", { detail });
}

/** @throws ServiceError `release_withdrawn`: its files may be deleted at any time */
export function assertNotWithdrawn({ withdrawnAt }: Release): void {
  if (withdrawnAt !== undefined) throw new ServiceError("release_withdrawn");
}

/** A release beside the live one. */
export type ComparedRelease = Pick<CreatedRelease, "settings" | "changes">;

/**
 * What visitors would see change if a release of a project took the place of the live one.
 *
 * @throws ServiceError `release_not_found`, `release_withdrawn`
 */
export async function compareWithLive(project: Project, releaseId: string, now: Date): Promise<ComparedRelease> {
  const [release, live] = await Promise.all([findRelease(project.slug, releaseId, now), readLiveManifest(project)]);
  assertNotWithdrawn(release);
  const manifest = await readManifest(project.slug, release.manifest);
  return { settings: manifest.settings, changes: compareReleases(live, manifest) };
}

async function readUnexpired(slug: string, releaseId: string, now: Date): Promise<Release | undefined> {
  const release = await readRelease(slug, releaseId);
  return release && isExpired(release, now) ? undefined : release;
}

function isExpired({ ttl }: Release, now: Date): boolean {
  return ttl !== undefined && ttl <= Math.floor(now.getTime() / 1_000);
}

/**
 * One page of a project's releases, newest first. It has fewer than asked for where open ones have expired.
 *
 * @throws ServiceError `invalid_cursor`
 */
export async function listReleases(
  { slug }: Project,
  page: Page,
  now: Date,
): Promise<{ releases: Release[]; nextCursor: string | null }> {
  const { items, last } = await readReleases(slug, sliceOf(page, `releases of ${slug}`));
  return {
    releases: items.filter((release) => !isExpired(release, now)),
    nextCursor: cursorAfter(last, `releases of ${slug}`),
  };
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
