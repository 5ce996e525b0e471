/*
 * Settings of a release, beside its files: they say how the files are sent. Without a schema library, like
 * manifest-rules.ts: the command line checks the same rules before it sends anything.
 */

import { limits } from "../limits.ts";
import { contentTypeOf, sentEncodingOf } from "./content-types.ts";
import { goesByContent, type ManifestFile, mayHaveDeltas, pathProblem, smallestByContent } from "./manifest-rules.ts";

export interface ReleaseSettings {
  /**
   * Sends COOP `same-origin` and COEP with everything, which SharedArrayBuffer and threads of WebAssembly need. With `true`
   * COEP is `require-corp`: everything that the game loads from other origins must allow it (CORS or CORP). With
   * `"credentialless"` that loads too, but without cookies.
   */
  readonly isolation: Isolation;
  /** Patterns of the paths that never change their content, so browsers keep them without asking again. */
  readonly immutable: readonly string[];
  /** The game is a single-page application: a page that has no file gets `/index.html` with status 200. */
  readonly spa: boolean;
  /** Sites that may show the game in a frame. */
  readonly frame: Frame;
  /** Paths of the files that browsers load as soon as they get a page's headers, in this order. */
  readonly preload: readonly string[];
  /**
   * With `"content"` large files are loaded from URLs that name their content, which browsers keep and use as dictionaries for the next
   * release (RFC 9842). With `"whole"` every file is loaded from its own URL.
   */
  readonly updates: "content" | "whole";
}

export type Isolation = boolean | "credentialless";

/** Every site, no site but the game's own, or the game's own and these origins, which may begin with `https://*.`. */
export type Frame = "everybody" | "nobody" | readonly string[];

export const defaultSettings: ReleaseSettings = {
  isolation: false,
  immutable: [],
  spa: false,
  frame: "everybody",
  preload: [],
  updates: "content",
};

/** The same rules for the API's documents, but for Unicode normalisation form C. */
export const immutablePattern =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are refused
  /^(?!(?:.*\/)?\.{0,2}(?:\/|$))(?!.*\*\*[^/])(?!.*[^/]\*\*)[^\\%?[\]{}!\u0000-\u001f\u007f-\u009f]+$/;

/**
 * Says what is wrong with a pattern of immutable paths, or returns undefined for a good one. In a pattern `*` stands for
 * any characters of one segment, and a segment `**` for any number of segments.
 */
export function patternProblem(pattern: string): string | undefined {
  if (pattern === "") return "must not be empty";
  if (pattern.length > limits.immutablePatternLength)
    return `must have at most ${limits.immutablePatternLength} characters`;
  if (!pattern.isWellFormed() || /\p{Cc}/u.test(pattern)) return "must be text without control characters";
  if (/[\\%?[\]{}!]/.test(pattern)) return "must have no wildcard but * and **, and no backslash or %";
  const segments = pattern.split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === ".."))
    return "must be relative and have no empty, . or .. segment";
  if (segments.some((segment) => segment.includes("**") && segment !== "**")) return "must have ** as a whole segment";
  if (pattern.normalize("NFC") !== pattern) return "must be in Unicode normalisation form C";
  return undefined;
}

/** Origin, with a port from 1 to 65,535. */
export const frameOriginPattern =
  /^https:\/\/(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9-]*[a-z](?::(?!0+$)(?:\d{1,4}|[0-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5]))?$/;

/**
 * Says what is wrong with an origin that may show the game in a frame, or returns undefined for a good one: the part of a
 * host source (Content Security Policy, section 2.3.1) that is an origin in https, in the form in which browsers write it.
 */
export function frameOriginProblem(origin: string): string | undefined {
  if (origin.length > limits.frameOriginLength) return `must have at most ${limits.frameOriginLength} characters`;
  if (!frameOriginPattern.test(origin))
    return "must be an origin such as https://portal.example or https://*.portal.example, in lower case and without a path";
  return undefined;
}

/** Says what is wrong with the path of a file that is loaded with each page, or returns undefined for a good one. */
export function preloadProblem(path: string): string | undefined {
  if (path.length > limits.preloadPathLength) return `must have at most ${limits.preloadPathLength} characters`;
  return pathProblem(path);
}

/** The settings that differ from others. */
export function changedSettings(from: ReleaseSettings, to: ReleaseSettings): (keyof ReleaseSettings)[] {
  const names = Object.keys(to) as (keyof ReleaseSettings)[];
  return names.filter((name) => JSON.stringify(from[name]) !== JSON.stringify(to[name]));
}

/** Settings in the one form in which the same settings are the same text. */
export function canonicalSettings({
  isolation,
  immutable,
  spa,
  frame,
  preload,
  updates,
}: ReleaseSettings): ReleaseSettings {
  return {
    isolation,
    immutable: [...new Set(immutable)].sort(),
    spa,
    frame: canonicalFrame(frame),
    preload: [...new Set(preload)],
    updates,
  };
}

function canonicalFrame(frame: Frame): Frame {
  if (typeof frame === "string") return frame;
  return frame.length === 0 ? "nobody" : [...new Set(frame)].sort();
}

/** Whether one of the patterns stands for the path. */
export function matchesPattern(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => matches(path.split("/"), pattern.split("/"), isSegment, "**"));
}

/**
 * Path pattern of the files in other releases from which a browser can make this one by a delta (RFC 9842): its path if it goes by its
 * content; its path with `*` in place of the hash if browsers keep it for good; undefined if it has no deltas.
 */
export function dictionaryPath(
  { path, size, encoding }: Pick<ManifestFile, "path" | "size" | "encoding">,
  { immutable, updates }: Pick<ReleaseSettings, "immutable" | "updates">,
): string | undefined {
  if (updates === "whole" || !mayHaveDeltas({ path, encoding })) return undefined;
  const inner = sentEncodingOf({ path, encoding })?.innerPath ?? path;
  if (!matchesPattern(path, immutable)) return goesByContent({ path: inner, size }) ? path : undefined;
  const isKept = size >= smallestByContent && !contentTypeOf(inner).isDocument;
  const hashed = isKept ? hashedPath(path) : undefined;
  return hashed && `${hashed.before}*${hashed.after}`;
}

/** A path whose name has a hash: what is before the hash, and behind it from a dot on. */
interface HashedPath {
  readonly before: string;
  readonly hash: string;
  readonly after: string;
}

/**
 * A path with a name by its content, as bundlers write it, `assets/index-DkA3x9b2.js`: undefined if it has none. A part with neither a digit nor
 * letters of both cases may be a word. Looks at each character once, from the end, because anybody can send such a path.
 */
export function hashedPath(path: string): HashedPath | undefined {
  if (!/^[\w./~-]+$/.test(path)) return undefined;
  // Where what is behind the hash begins.
  let end = 0;
  let has = { digit: false, lower: false, upper: false };
  for (let index = path.length - 1; index > 0; index -= 1) {
    const character = path[index] ?? "";
    const isSeparator = character === "-" || character === ".";
    const isHash = end - index > minHash && (has.digit || (has.lower && has.upper));
    if (isSeparator && isHash && /[\w~]/.test(path[index - 1] ?? ""))
      return { before: path.slice(0, index + 1), hash: path.slice(index + 1, end), after: path.slice(end) };
    if (character === "/" || character === "~") return undefined;
    if (character === ".") {
      end = index < path.length - 1 ? index : 0;
      has = { digit: false, lower: false, upper: false };
    }
    has.digit ||= /\d/.test(character);
    has.lower ||= /[a-z]/.test(character);
    has.upper ||= /[A-Z]/.test(character);
  }
  return undefined;
}

/** Characters. */
const minHash = 8;

function isSegment(text: string, pattern: string): boolean {
  return matches([...text], [...pattern], (a, b) => a === b, "*");
}

/**
 * Matches parts against patterns of one part each and a wildcard for any number of parts. When a part does not fit, it
 * goes back to the last wildcard alone, so the time is at most parts times patterns, whatever the pattern is.
 */
function matches(
  parts: readonly string[],
  patterns: readonly string[],
  fits: (part: string, pattern: string) => boolean,
  wildcard: string,
): boolean {
  let next = 0;
  let last: { wildcard: number; taken: number } | undefined;
  for (let index = 0; index < parts.length; ) {
    const pattern = patterns[next];
    if (pattern === wildcard) {
      last = { wildcard: next, taken: index };
      next += 1;
    } else if (pattern !== undefined && fits(parts[index] ?? "", pattern)) {
      index += 1;
      next += 1;
    } else if (last !== undefined) {
      last.taken += 1;
      index = last.taken;
      next = last.wildcard + 1;
    } else return false;
  }
  return patterns.slice(next).every((pattern) => pattern === wildcard);
}
