import { contentTypeOf, storedEncodingOf } from "../../contract/api/releases/content-types.ts";
import { type ManifestFile, mayHaveDeltas } from "../../contract/api/releases/manifest-rules.ts";
import { matchesPattern, type ReleaseSettings } from "../../contract/api/releases/release-settings.ts";
import { namedContentPattern } from "./named-content.ts";
import type { Representation } from "./representation.ts";

/** Browsers keep it and ask each time whether it has changed. */
export const revalidated = "public, max-age=0, must-revalidate";

/** Browsers keep it for good. */
const keptForGood = "public, max-age=31536000, immutable";

/** Caches keep what is missing for a moment, so that a flood of requests for one path stays at the edge. */
export const missing = "public, max-age=5";

type Headers = Readonly<Record<string, string>>;

/** A header of every response of a game's origin: browsers do not guess another content type. */
export const everywhere: Headers = { "x-content-type-options": "nosniff" };

/**
 * Cross-origin isolation (HTML, "cross-origin isolation mode"). Workers and frames of an isolated page must have it too,
 * so it goes with everything. CORP lets a page of another site that is isolated itself frame the game.
 */
export function isolationHeaders({ isolation }: ReleaseSettings): Headers {
  if (!isolation) return {};
  return {
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-embedder-policy": isolation === true ? "require-corp" : isolation,
    "cross-origin-resource-policy": "cross-origin",
  };
}

/**
 * Files that a browser loads as soon as it has a page's headers (RFC 8288; HTML, "preload"). It takes one
 * for the page's own request only if that has the same URL, destination and credentials, so data have those of `fetch(url)`.
 */
export function preloadHeaders({ contentType }: Representation, { preload }: ReleaseSettings): Headers {
  const isPage = contentType.startsWith("text/html");
  return isPage && preload.length > 0 ? { link: preload.map(linkTo).join(", ") } : {};
}

const destinations: readonly (readonly [type: RegExp, how: string])[] = [
  [/^text\/javascript/, "script"],
  [/^text\/css/, "style"],
  [/^image\//, "image"],
  [/^font\//, "font; crossorigin"],
];

function linkTo(path: string): string {
  const { type } = contentTypeOf(storedEncodingOf(path)?.innerPath ?? path);
  const [, how] = destinations.find(([pattern]) => pattern.test(type)) ?? [type, "fetch; crossorigin"];
  const { pathname } = new URL(`/${path.replaceAll("#", "%23")}`, "http://game");
  return `<${pathname}>; rel=preload; as=${how}`;
}

/** The headers of a representation in every response about it: 200, 206, 304. */
export function representationHeaders(
  path: string,
  representation: Representation,
  { etag, settings, isKept }: { readonly etag: string; readonly settings: ReleaseSettings; readonly isKept: boolean },
): Headers & { readonly etag: string } {
  return {
    etag,
    "cache-control": isKept ? cacheControl(path, representation, settings) : revalidated,
    ...varyHeaders(representation),
  };
}

/** A cache must not give a compressed response to a client that does not accept it (RFC 9110, section 12.5.5). */
export function varyHeaders({ varies }: Representation): Headers {
  return varies.length > 0 ? { vary: varies.join(", ") } : {};
}

/** A response is a dictionary for what comes from URLs of this pattern (RFC 9842, section 2.1). */
export function dictionaryHeader(pattern: string): Headers {
  return { "use-as-dictionary": `match="${pattern}"` };
}

/**
 * The headers of a file at a URL that names its content. It is a dictionary for the file that takes its path, if it may have deltas.
 */
export function namedContentHeaders(
  file: Pick<ManifestFile, "path" | "encoding">,
  representation: Representation,
): Headers {
  return {
    "cache-control": keptForGood,
    ...varyHeaders(representation),
    ...(mayHaveDeltas(file) && dictionaryHeader(namedContentPattern(file.path))),
  };
}

/** The headers that describe the bytes that are sent. */
export function contentHeaders({ contentType, contentEncoding }: Representation): Headers {
  return {
    "content-type": contentType,
    "accept-ranges": "bytes",
    ...(contentEncoding !== undefined && { "content-encoding": contentEncoding }),
  };
}

/**
 * Another release may have other bytes at the same path, so a browser asks each time, and mostly gets a 304. What the
 * release calls immutable it keeps for good; never a document, or players would stay with the release that they have.
 */
function cacheControl(path: string, { isDocument }: Representation, { immutable }: ReleaseSettings): string {
  const isKept = !isDocument && matchesPattern(path, immutable);
  return isKept ? keptForGood : revalidated;
}
