import { ServiceError } from "../../contract/errors.ts";
import type { ManifestFile } from "../../contract/manifest-rules.ts";
import { type FileContent, Manifest, readManifest, writeManifest } from "../files/manifests.ts";
import { findMissing } from "../files/presence.ts";
import { assertCurrent, type ExpectedRelease } from "../table/expected-release.ts";
import { createRelease, keepOpen, readOpenRelease } from "../table/open-releases.ts";
import type { Project } from "../table/projects.ts";
import { type Release, readRelease } from "../table/releases.ts";
import { compareReleases, type ReleaseChanges } from "./release-changes.ts";

export { listReleases, type Release } from "../table/releases.ts";

/** What a developer wants to publish. */
export interface ReleaseRequest {
  readonly files: readonly ManifestFile[];
  readonly expectCurrent: ExpectedRelease;
  /** Checks and compares everything, and changes nothing. */
  readonly dryRun: boolean;
}

/** A release with what it would change and what must be uploaded before it can go live. */
export interface OpenedRelease {
  /** Undefined for a dry run that would open a new one. */
  readonly release: Release | undefined;
  readonly created: boolean;
  readonly changes: ReleaseChanges;
  readonly missing: readonly FileContent[];
}

/**
 * Opens a release, or finds the one that has the same files: the live one, of which nothing is left to do, or an open one
 * (a resumed upload). Work grows with what differs from the live release: only files that it does not hold are looked for.
 *
 * @throws ServiceError `current_release_changed`, naming the live release
 */
export async function openRelease(project: Project, request: ReleaseRequest, now: Date): Promise<OpenedRelease> {
  const { slug, currentRelease } = project;
  const manifest = Manifest.of(request.files);
  const { digest } = manifest;
  if (currentRelease?.manifest === digest) return await alreadyLive(slug, currentRelease.id, manifest, now);
  assertCurrent(project, request.expectCurrent);
  const [existing, live] = await Promise.all([readOpenRelease(slug, digest, now), readLiveManifest(project)]);
  const changes = compareReleases(live.files(), manifest.files());
  if (request.dryRun)
    return { release: existing, created: false, changes, missing: await missingFiles(slug, manifest, live) };
  const [missing, kept] = await Promise.all([
    missingFiles(slug, manifest, live),
    existing ? keepOpen(slug, existing, now) : writeManifest(slug, manifest),
  ]);
  // A release that is open no more leaves its manifest behind: a new one takes it.
  if (kept) return { release: kept, created: false, changes, missing };
  const { files, expectCurrent } = request;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const opened = await createRelease({
    project,
    manifest: { manifest: digest, files: files.length, bytes },
    expectCurrent,
    now,
  });
  return { ...opened, changes, missing };
}

async function alreadyLive(slug: string, id: string, manifest: Manifest, now: Date): Promise<OpenedRelease> {
  const files = manifest.files();
  const release = await findRelease(slug, id, now);
  return { release, created: false, changes: compareReleases(files, files), missing: [] };
}

/** The manifest of what visitors see now. */
export async function readLiveManifest({ slug, currentRelease }: Project): Promise<Manifest> {
  return currentRelease ? await readManifest(slug, currentRelease.manifest) : Manifest.empty;
}

/** The files of a release that the service does not hold. Those of the live release are known to be there. */
export async function missingFiles(slug: string, manifest: Manifest, live: Manifest): Promise<FileContent[]> {
  const held = live.sizes();
  const wanted = [...manifest.sizes()].filter(([sha256, size]) => held.get(sha256) !== size);
  return await findMissing(slug, new Map(wanted));
}

/**
 * A release of a project.
 *
 * @throws ServiceError `release_not_found`, also for an open one that was given up
 */
export async function findRelease(slug: string, releaseId: string, now: Date): Promise<Release> {
  const release = await readRelease(slug, releaseId, now);
  if (release === undefined) throw new ServiceError("release_not_found");
  return release;
}

/** Where a release of a project stands. */
export function releaseStatus(
  { id, publishedAt }: Release,
  { currentRelease }: Project,
): "open" | "live" | "published" {
  if (currentRelease?.id === id) return "live";
  return publishedAt === undefined ? "open" : "published";
}
