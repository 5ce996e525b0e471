import { limits } from "../../contract/limits.ts";
import { readManifest } from "../files/manifests.ts";
import { fileKey } from "../files/object-keys.ts";
import { type Upload, uploadUrl } from "../files/store.ts";
import { findRelease } from "./releases.ts";
import { ServiceError } from "./service-error.ts";

/** Where to upload the files of a release, each address good for exactly the bytes of its hash. */
export interface Uploads {
  readonly uploads: readonly (Upload & { readonly sha256: string })[];
  readonly expiresAt: string;
}

/**
 * Makes the addresses to upload files of a release to. Each is good for an hour.
 *
 * @throws ServiceError `release_not_found`; `validation_failed` for a hash that is none of the release's
 */
export async function createUploads(
  slug: string,
  { releaseId, hashes }: { releaseId: string; hashes: readonly string[] },
  now: Date,
): Promise<Uploads> {
  const release = await findRelease(slug, releaseId, now);
  const sizes = (await readManifest(slug, release.manifest)).sizes();
  const unknown = hashes.flatMap((sha256, index) => (sizes.has(sha256) ? [] : [notInRelease(index)]));
  if (unknown.length > 0)
    throw new ServiceError("validation_failed", { errors: unknown.slice(0, limits.invalidPlacesListed) });
  const lifetime = limits.uploadUrlLifetimeSeconds;
  const uploads = [...new Set(hashes)].map((sha256) => {
    const size = sizes.get(sha256) as number;
    return { sha256, ...uploadUrl({ key: fileKey(slug, sha256), size, sha256 }, lifetime, now) };
  });
  return { uploads, expiresAt: new Date(now.getTime() + lifetime * 1_000).toISOString() };
}

function notInRelease(index: number) {
  return { pointer: `/sha256/${index}`, detail: "is not a file of this release" };
}
