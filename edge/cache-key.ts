/*
 * What CloudFront caches under: the URI `/<slug>/<digest>/<how>/<path>`, and nothing else. All of a game's responses are
 * below its slug; what a digest names never changes; and `how` has two letters, because two requests of one path can get
 * different bytes (docs/decisions/0051-what-runs-at-the-edge.md).
 */

/** Why a path is asked for: by a game, as a page that a person opens, or as the script of a service worker. */
export type Purpose = "file" | "page" | "worker";

export interface CacheKey {
  readonly slug: string;
  /** Of the release in which the path is looked for first. */
  readonly digest: string;
  readonly purpose: Purpose;
  /** Whether the Brotli variant is sent, where there is one. */
  readonly brotli: boolean;
  /** As the viewer sent it, with the slash at its beginning. */
  readonly path: string;
}

const letters: Readonly<Record<Purpose, string>> = { file: "f", page: "p", worker: "w" };

export function uriOf({ slug, digest, purpose, brotli, path }: CacheKey): string {
  return `/${slug}/${digest}/${brotli ? "b" : "i"}${letters[purpose]}${path}`;
}

/** The key of a URI; undefined where no viewer function made it. */
export function cacheKeyOf(uri: string): CacheKey | undefined {
  const [, slug, digest, coding, letter, path] =
    /^\/([a-z0-9-]+)\/([0-9a-f]{64})\/([bi])([fpw])(\/.*)/s.exec(uri) ?? [];
  if (slug === undefined || digest === undefined || path === undefined) return undefined;
  const purpose = letter === "p" ? "page" : letter === "w" ? "worker" : "file";
  return { slug, digest, purpose, brotli: coding === "b", path };
}

/**
 * The request header that tells the origin's functions where to look when the key's release has not the path: the digests of
 * the live release and of the one that the visit had before, with a dot between them.
 */
export const releasesHeader = "x-svc-releases";

/** The response header that tells the viewer's function the digest of the key, where something was found. */
export const foundHeader = "x-svc-release";

/** The response header by which CloudFront purges a game's responses: `game:<slug>`. */
export const tagHeader = "cache-tag";

/** What the edge keeps a response for; the viewer's function takes it off. */
export const edgeLifetime = /, s-maxage=\d+/;

/** What all responses of a game have there. */
export function cacheTag(slug: string): string {
  return `game:${slug}`;
}
