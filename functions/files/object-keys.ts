import { createHash } from "node:crypto";

/*
 * Keys of a project's objects in the bucket. They consist of characters that need no encoding in a URL.
 */

/** The folder of what all projects have published. */
export const projectsPrefix = "projects/";

/** The folder of a project's files, each named by the SHA-256 of its bytes: nobody learns what other projects hold. */
export function filesPrefix(slug: string): string {
  return `${projectsPrefix}${slug}/files/`;
}

export function fileKey(slug: string, sha256: string): string {
  return filesPrefix(slug) + sha256;
}

/** The folder of the proofs of a project, or of those of one opener. */
export function proofsPrefix(slug: string, opener?: string): string {
  const folder = opener === undefined ? "" : `${createHash("sha256").update(opener).digest("hex")}/`;
  return `proofs/${slug}/${folder}`;
}

/** A proof that an opener has the bytes of a file: these bytes, as it sent them. `opener` is the digest that is its folder. */
export function proofKey(slug: string, opener: string, sha256: string): string {
  return `${proofsPrefix(slug)}${opener}/${sha256}`;
}

/** The folder of a project's packs of small files, which go when they are unpacked, with their draft, or after a day. */
export function packsPrefix(slug: string): string {
  return `packs/${slug}/`;
}

/** A pack of a draft; `opener` is who sends it, undefined for a person. Nobody may read it. */
export function packKey(
  slug: string,
  {
    release,
    opener = "",
    slot,
  }: { readonly release: string; readonly opener?: string | undefined; readonly slot: number },
): string {
  return `${packsPrefix(slug)}${release}/${createHash("sha256").update(opener).digest("hex")}/${slot}`;
}

/** The folder of what the service found out about copies: nobody else writes there. */
export function factsPrefix(slug: string): string {
  return `facts/${slug}/`;
}

/** What the service found out about the copies that a manifest names. It never changes. */
export function factsKey(slug: string, digest: string): string {
  return `${factsPrefix(slug)}${digest}.json`;
}

/** The folder of the requests to check copies of a project, which expire after some days. */
export function checksPrefix(slug: string): string {
  return `checks/${slug}/`;
}

/** A request to check the copies that a manifest names; `name` tells requests apart. */
export function checkKey(slug: string, digest: string, name: string): string {
  return `${checksPrefix(slug)}${digest}/${name}.json`;
}

/** The folder of what was found out of a manifest's copies so far. It expires as requests do. */
export function foundPrefix(slug: string, digest: string): string {
  return `found/${slug}/${digest}/`;
}

export function foundKey(slug: string, digest: string, name: string): string {
  return `${foundPrefix(slug, digest)}${name}.json`;
}

/** An object that is needed for a day at most, in the folder of an option and a project. The bucket's rules delete it. */
export function passingKey(option: string, slug: string, name: string): string {
  return `${passingPrefix}${option}/${slug}/${name}`;
}

export const passingPrefix = "passing/";

/** The folder of a project's manifests. */
export function manifestsPrefix(slug: string): string {
  return `${projectsPrefix}${slug}/manifests/`;
}

/** A manifest, named by its digest. It never changes. */
export function manifestKey(slug: string, digest: string): string {
  return `${manifestsPrefix(slug)}${digest}.zst`;
}
