/*
 * Keys of a project's objects in the bucket. They consist of characters that need no encoding in a URL.
 */

/** The folder of a project's files, each named by the SHA-256 of its bytes: nobody learns what other projects hold. */
export function filesPrefix(slug: string): string {
  return `projects/${slug}/files/`;
}

export function fileKey(slug: string, sha256: string): string {
  return filesPrefix(slug) + sha256;
}

/** The folder of a project's manifests. */
export function manifestsPrefix(slug: string): string {
  return `projects/${slug}/manifests/`;
}

/** A manifest, named by its digest. It never changes. */
export function manifestKey(slug: string, digest: string): string {
  return `${manifestsPrefix(slug)}${digest}.zst`;
}
