import { placedPathOf } from "../content/named-content.ts";

/*
 * Key under which CloudFront caches: the URI `/<slug>/<release or place>/<how>/<path>`, and nothing else.
 * All of a game's responses are below its slug; a release never changes, nor what a place has of a path (edge/cache/place.ts);
 * and `how` says what else makes two requests of one path get different bytes: a coding and a purpose
 * (docs/decisions/0051-what-runs-at-the-edge.md).
 */

/** Why a path is requested: by a game, as a page that a person opens, or as the script of a service worker. */
export type Purpose = "file" | "page" | "worker";

export interface CacheKey {
  /** A slug, or the key of a preview (edge/project/pointer.ts). */
  readonly site: string;
  /**
   * In which the path is looked for first, or the place that several releases share for it; what decides it if the store has no pointer of the site, so that only the origin
   * knows.
   */
  readonly release: string | Visitor;
  readonly purpose: Purpose;
  /** Whether the Brotli variant is sent, if there is one. */
  readonly brotli: boolean;
  /** The delta that is sent, if there is one and the request takes Brotli (`deltaKey`). */
  readonly dictionary?: string | undefined;
  /** As the viewer sent it, with the slash at its beginning. */
  readonly path: string;
}

/** The values of the cookies that decide what a visitor gets. */
export interface Visitor {
  readonly visit: string;
  readonly ownedSince: string;
}

const letters: Readonly<Record<Purpose, string>> = { file: "f", page: "p", worker: "w" };

export function uriOf({ site, release, purpose, brotli, dictionary, path }: CacheKey): string {
  const place = typeof release === "string" ? release : `@${release.visit}@${release.ownedSince}`;
  const coding = brotli ? (dictionary ? `d${dictionary}` : "b") : "i";
  return `/${site}/${place}/${coding}${letters[purpose]}${path}`;
}

const pattern =
  /^\/(?<site>[a-z0-9-]+)\/(?:(?<release>[\w-]{43}|~[\w-]{8,12})|@(?<visit>[\w.-]*)@(?<ownedSince>\w*))\/(?<coding>[bi]|d(?<dictionary>[\w-]{43}))(?<letter>[fpw])(?<path>\/.*)/s;

/** Whether a key's release is a place: then only the header says in which release to look. */
export function isPlace(release: string): boolean {
  return release.startsWith("~");
}

/** The key of a URI; undefined if no viewer function made it. */
export function cacheKeyOf(uri: string): CacheKey | undefined {
  const groups = pattern.exec(uri)?.groups ?? {};
  const { site = "", release, visit = "", ownedSince = "", coding, dictionary, letter, path } = groups;
  if (path === undefined) return undefined;
  const purpose = letter === "p" ? "page" : letter === "w" ? "worker" : "file";
  return { site, release: release ?? { visit, ownedSince }, purpose, brotli: coding !== "i", dictionary, path };
}

/** The path by which a game asks for the file of a logged URI: a key or a viewer's path, which may name the file's content. */
export function filePathOf(uri: string): string {
  const path = cacheKeyOf(uri)?.path ?? uri;
  return path.startsWith("/") ? `/${placedPathOf(path.slice(1))}` : path;
}

/**
 * The request header that tells the origin's function where to look: the live release, the one that was live before it, then
 * all in which to look, in this order, with dots between them.
 */
export const releasesHeader = "x-svc-releases";

/** The response header that tells the viewer's function the release of a page or of a worker's script. */
export const foundHeader = "x-svc-release";

/** The response header with the pointer that the origin has read, if the store has none. */
export const pointerHeader = "x-svc-pointer";

/** The response header by which CloudFront purges a game's responses: `game:<slug>`. */
export const tagHeader = "cache-tag";

/** Lifetime of a response at the edge; the viewer's function removes it. */
export const edgeLifetime = /, s-maxage=\d+/;

/** The tag of all responses of a game. */
export function cacheTag(slug: string): string {
  return `game:${slug}`;
}
