import { limits } from "../../../contract/api/limits.ts";
import type { Project } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import { type FileContent, type Manifest, readManifest } from "../../files/manifests.ts";
import { fileKey } from "../../files/object-keys.ts";
import { downloadUrl, type Upload, uploadUrl } from "../../files/store.ts";
import { assertStillActive, type ProjectActor } from "../authentication.ts";
import { ServiceError } from "../service-error.ts";
import { assertNotWithdrawn, findVisible } from "./releases.ts";

/** Where to upload files of a release: URLs that accept exactly the bytes of their hash. */
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
  return signUploads({ project: actor.project, release }, files, now);
}

/** Signs upload URLs. Whoever calls it has just seen that the caller's token is active. */
export function signUploads(
  { project: { slug }, release }: { readonly project: Project; readonly release: Release },
  files: readonly FileContent[],
  now: Date,
): Uploads {
  const { seconds, expiresAt } = urlValidity(release, now);
  const uploads = files.map(({ sha256, size }) => {
    return { sha256, ...uploadUrl({ key: fileKey(slug, sha256), size, sha256 }, seconds, now) };
  });
  return { uploads, expiresAt };
}

/** A file of the live release, and where its index is. */
export interface IndexUrl extends Pick<FileContent, "size" | "sha256"> {
  readonly url: string;
}

const indexUrlSeconds = 900;

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
      return { sha256, size, url: downloadUrl(object, indexUrlSeconds, now) };
    });
}

/** How long URLs are valid: never longer than the open release, which counts what they allow. */
export function urlValidity({ ttl = Number.POSITIVE_INFINITY }: Release, now: Date) {
  const seconds = Math.min(limits.uploadUrlLifetimeSeconds, ttl - Math.floor(now.getTime() / 1_000));
  return { seconds, expiresAt: new Date(now.getTime() + seconds * 1_000).toISOString() };
}

function notInRelease(index: number) {
  return { pointer: `/sha256/${index}`, detail: "is not a file of this release" };
}
