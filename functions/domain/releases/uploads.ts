import { olderFileHeader } from "../../../contract/api/headers.ts";
import { limits } from "../../../contract/api/limits.ts";
import type { ManifestFile } from "../../../contract/api/releases/manifest-rules.ts";
import type { Project } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import { type FileContent, findManifest, type Manifest, readManifest } from "../../files/manifests.ts";
import { fileKey } from "../../files/object-keys.ts";
import { downloadUrl, programUrl, type Upload, uploadUrl } from "../../files/store.ts";
import { assertStillActive, type ProjectActor } from "../authentication.ts";
import { ServiceError } from "../service-error.ts";
import { isPreviewOnly } from "./openers.ts";
import { uploadPrefix } from "./proofs.ts";
import { assertNotWithdrawn, findVisible } from "./releases.ts";

/** Presigned URLs for files of a release: each accepts exactly the bytes of its hash. */
export interface Uploads {
  readonly uploads: readonly (Upload & { readonly sha256: string })[];
  readonly expiresAt: string;
}

/**
 * Signs upload URLs for files of a release. Each is valid for an hour, also after its token is revoked, but never
 * longer than the open release, which counts what the URLs allow. A token that was revoked before they are signed gets
 * none.
 *
 * @throws ServiceError `release_not_found`; `release_withdrawn`; `validation_failed` for a hash that no file of the release has;
 * `token_revoked`, `token_expired`
 */
export async function createUploads(
  actor: ProjectActor,
  { releaseId, hashes }: { releaseId: string; hashes: readonly string[] },
  now: Date,
): Promise<Uploads> {
  const { slug } = actor.project;
  const release = await findVisible(actor, releaseId, now);
  assertNotWithdrawn(release);
  const sizes = (await readManifest(slug, release.manifest)).sizes();
  const unknown = hashes.flatMap((sha256, index) => (sizes.has(sha256) ? [] : [notInRelease(index)]));
  if (unknown.length > 0)
    throw new ServiceError("validation_failed", { errors: unknown.slice(0, limits.invalidPlacesListed) });
  await assertStillActive(actor, now);
  const files = [...new Set(hashes)].map((sha256) => ({ sha256, size: sizes.get(sha256) as number }));
  return signUploads({ actor, release }, files, now);
}

/** Signs upload URLs. Whoever calls it has just seen that the caller's token is active. */
export function signUploads(
  { actor, release }: { readonly actor: ProjectActor; readonly release: Release },
  files: readonly FileContent[],
  now: Date,
): Uploads {
  const { seconds, expiresAt } = urlValidity(release, now);
  const uploads = files.map(({ sha256, size }) => {
    return { sha256, ...uploadUrl({ key: uploadPrefix(actor) + sha256, size, sha256 }, seconds, now) };
  });
  return { uploads, expiresAt };
}

/** A file of the live release, and where its index is. */
export interface IndexUrl extends Pick<FileContent, "size" | "sha256"> {
  readonly url: string;
}

/** The indexes of the largest files of the live release, if one of those that are missing is sent in parts. */
export function indexUrls(
  { slug }: Project,
  { live, missing }: { readonly live: Manifest; readonly missing: readonly FileContent[] },
  now: Date,
): IndexUrl[] {
  if (!missing.some(({ size }) => size > limits.largeFileBytes)) return [];
  const sizes = live.sizes();
  return Object.entries(live.indexes)
    .map(([sha256, index]) => ({ sha256, index, size: sizes.get(sha256) ?? 0 }))
    .toSorted((a, b) => b.size - a.size)
    .slice(0, limits.indexesListed)
    .map(({ sha256, size, index }) => {
      const object = { key: fileKey(slug, index.sha256), headers: {}, hasOrigin: true };
      return { sha256, size, url: downloadUrl(object, limits.readUrlSeconds, now) };
    });
}

/** A file of an earlier release from which a delta of a file can be made. */
export interface OlderFile extends Pick<FileContent, "size" | "sha256"> {
  /** The path of the file of the next release. */
  readonly path: string;
  readonly isLive: boolean;
  readonly url: string;
}

/** Releases that were live before and are looked at too, for players who come back after several updates. */
const releasesBefore = 2;

/**
 * Files of the live release and of those before it that players may have in place of one that the next release adds or changes. A withdrawn
 * release is none of these, and none that the actor may not see.
 */
export async function olderFiles(
  actor: ProjectActor,
  { live, next }: { readonly live: Manifest; readonly next: Manifest },
  now: Date,
): Promise<OlderFile[]> {
  const { slug, currentRelease } = actor.project;
  const liveFiles = live.files();
  const isNew = ({ path, sha256 }: ManifestFile) => liveFiles.get(path)?.sha256 !== sha256;
  const wanted = new Map([...next.dictionaries()].filter(([, file]) => isNew(file)));
  if (wanted.size === 0) return [];
  const earlier = isPreviewOnly(actor) ? [] : (currentRelease?.earlier ?? []);
  const digests = earlier.slice(0, releasesBefore);
  const manifests = await Promise.all(digests.map((digest) => findManifest(slug, digest)));
  const olderFiles = new Map<string, OlderFile>();
  for (const manifest of [live, ...manifests.filter((each) => each !== undefined)]) {
    const older = [...manifest.dictionaries()].toSorted(([, a], [, b]) => b.size - a.size);
    for (const [place, { sha256, size }] of older) {
      const file = wanted.get(place);
      if (file === undefined || file.sha256 === sha256) continue;
      const { path } = file;
      const key = `${path} ${sha256}`;
      if (olderFiles.has(key)) continue;
      const url = programUrl(fileKey(slug, sha256), { [olderFileHeader]: "1" }, limits.readUrlSeconds, now);
      olderFiles.set(key, { path, sha256, size, isLive: manifest === live, url });
    }
  }
  return [...olderFiles.values()].slice(0, limits.olderFilesListed);
}

/** Time for which URLs are valid: never longer than the open release, which counts what they allow. */
export function urlValidity({ ttl = Number.POSITIVE_INFINITY }: Release, now: Date) {
  const seconds = Math.min(limits.uploadUrlLifetimeSeconds, ttl - Math.floor(now.getTime() / 1_000));
  return { seconds, expiresAt: new Date(now.getTime() + seconds * 1_000).toISOString() };
}

function notInRelease(index: number) {
  return { pointer: `/sha256/${index}`, detail: "is not a file of this release" };
}
