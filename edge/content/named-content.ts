import { acceptsEncoding } from "../../contract/api/qualities.ts";
import { urlPathOf } from "../../contract/folder/url-path.ts";
import { deltaMark } from "../cache/place.ts";
import type { EdgeRequest } from "../request.ts";

/*
 * URLs that name a file by its content: `/.well-known/svc/files/<SHA-256>/<path>`. The own URL of a large file redirects there, so a
 * browser keeps it for good, and has it as a dictionary for the file of the next release (RFC 9842;
 * docs/decisions/0051-what-runs-at-the-edge.md#large-files-go-by-their-content).
 */

export const namedContentPrefix = "/.well-known/svc/files/";

/** A file at a path, if it has this content. */
export interface NamedContent {
  /** The manifest's hash of the file; empty if the URL names none, so that no file has it. */
  readonly sha256: string;
  readonly path: string;
}

const named = /^\.well-known\/svc\/files\/(?:([0-9a-f]{64})(?:\/|$))?/;

/**
 * The content that a decoded path names; undefined if it is no such path. Below the prefix without a hash is what a script gets that
 * resolves `../next.bin` against the URL of a file at the top.
 */
export function namedContentOf(path: string): NamedContent | undefined {
  const [prefix, sha256 = ""] = named.exec(path) ?? [];
  return prefix === undefined ? undefined : { sha256, path: path.slice(prefix.length) };
}

/** The path whose place in the cache a decoded path has: that of the file which may have the content, so a withdrawal takes both away. */
export function placedPathOf(path: string): string {
  return path.replace(named, "");
}

export function namedContentUrl({ sha256, path }: NamedContent): string {
  return `${namedContentPrefix}${sha256}/${encodedPath(path)}`;
}

/** The URL pattern of a path whatever its content (RFC 9842, section 2.1.1). */
export function namedContentPattern(path: string): string {
  return `${namedContentPrefix}*/${encodedPath(path)}`;
}

/** A URL has a path in the same form as a URL pattern, in which parentheses and an asterisk mean something. */
export function encodedPath(path: string): string {
  const escaped = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return urlPathOf(path).replace(/[()*]/g, escaped);
}

/**
 * The SHA-256 in base64url of the older file that a browser has, if it takes a delta from that (RFC 9842, section 2.2); empty if it has
 * none.
 */
export function dictionaryOf({ headers }: EdgeRequest): string {
  const [, digest] = /^:([\w+/]{43})=:$/.exec(headers["available-dictionary"] || "") || [];
  if (!digest || !acceptsEncoding(headers["accept-encoding"] || "", "dcz")) return "";
  return digest.replaceAll("+", "-").replaceAll("/", "_");
}

/** What stands in the cache's key for a browser's dictionary for a path. As long as a SHA-256, which it was in an earlier version. */
export function deltaKey(path: string, dictionary: string): string {
  return deltaMark(path, dictionary).padEnd(43, "0");
}

/** The value of `Available-Dictionary` for a SHA-256 in base64url. */
export function availableDictionary(digest: string): string {
  return `:${digest.replaceAll("-", "+").replaceAll("_", "/")}=:`;
}
