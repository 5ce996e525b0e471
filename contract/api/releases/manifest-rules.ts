/*
 * The rules of a valid manifest, without a schema library: the command line checks them before it sends anything, and
 * the service checks them again.
 */

import { limits } from "../limits.ts";
import { contentTypeOf, isCompressedType, sentEncodingOf, storedEncodingOf } from "./content-types.ts";

/** Bytes by their length and their SHA-256 in lower-case hexadecimal. */
export interface Content {
  /** Bytes. */
  readonly size: number;
  readonly sha256: string;
}

/**
 * A file's bytes for browsers that have an older file: an object in the form `dcz` of RFC 9842. Of a file that is stored in Brotli it gives
 * the bytes that a browser has when it has unpacked the file, and its dictionary is such bytes.
 */
export interface Delta extends Content {
  /** SHA-256 of the bytes that a browser has of the older file, also of one that was sent in parts. */
  readonly dictionary: string;
}

/** Bytes with the object beside them that names their chunks (contract/folder/chunks.ts). */
export interface IndexedContent extends Content {
  readonly index?: Content | undefined;
}

/** One file of a release: its relative path and its bytes, and the same bytes in Brotli if they are worth sending. */
export interface ManifestFile extends IndexedContent {
  readonly path: string;
  readonly br?: IndexedContent | undefined;
  readonly deltas?: readonly Delta[] | undefined;
  /** Sent as it is stored, although its name ends in `.br` or `.gz`. */
  readonly encoding?: "identity" | undefined;
}

/** Part of the rules of {@link pathProblem} that a regular expression can check: segments and characters. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that it excludes
export const pathPattern = /^(?!(?:.*\/)?\.{0,2}(?:\/|$))[^\\%?\u0000-\u001f\u007f-\u009f]+$/;

/**
 * Says what is wrong with a manifest path, or returns undefined for a valid one. A valid path is relative,
 * `/`-separated, in Unicode normalisation form C, and has no empty, `.` or `..` segment, control character, backslash,
 * `%` or `?`: no URL leads to a path with one of the last two
 * (docs/decisions/0024-a-game-has-its-own-origin.md#no--and-no--in-the-path-of-a-published-file).
 */
export function pathProblem(path: string): string | undefined {
  if (path === "") return "must not be empty";
  if (!path.isWellFormed()) return "must be well-formed Unicode";
  if (isTooLong(path)) return `must have at most ${limits.pathBytes} bytes`;
  if (path.includes("\\")) return "must separate folders with /, not with a backslash";
  if (/\p{Cc}/u.test(path)) return "must not contain control characters";
  if (/[%?]/.test(path)) return "must not contain % or ?, because no URL would lead to it";
  if (path.startsWith("/")) return "must be relative";
  if (path.split("/").some((segment) => segment === "" || segment === "." || segment === ".."))
    return "must not have an empty, . or .. segment";
  if (path.normalize("NFC") !== path) return "must be in Unicode normalisation form C";
  return undefined;
}

const encoder = new TextEncoder();

/** Whether a path has too many bytes in UTF-8. Most are so short that their characters need not be looked at. */
function isTooLong(path: string): boolean {
  return path.length * 3 > limits.pathBytes && encoder.encode(path).length > limits.pathBytes;
}

/** The same text for two paths that a case-insensitive disk cannot hold together. */
function foldedPath(path: string): string {
  return path.normalize("NFC").toLowerCase().toUpperCase();
}

/** Problem with a file of a manifest, given the other files. */
export interface ManifestProblem {
  readonly index: number;
  readonly field: "path" | "size" | "br" | "deltas" | "encoding" | "index";
  readonly detail: string;
}

/** Problems of a manifest as a whole; empty for a valid one. */
export function manifestProblems(files: readonly ManifestFile[]): ManifestProblem[] {
  return [...sizeProblems(files), ...variantProblems(files), ...twinProblems(files)];
}

/** The same content has one length, and all contents together are within the limit. */
function sizeProblems(files: readonly ManifestFile[]): ManifestProblem[] {
  const problems: ManifestProblem[] = [];
  const sizes = new Map<string, number>();
  for (const [index, file] of files.entries()) {
    const deltas = file.deltas?.map((delta) => ["deltas", delta] as const) ?? [];
    const indexes = [["index", file.index] as const, ["br", file.br?.index] as const];
    for (const [field, content] of [["size", file] as const, ["br", file.br] as const, ...deltas, ...indexes]) {
      if (content === undefined) continue;
      if ((sizes.get(content.sha256) ?? content.size) !== content.size)
        problems.push({ index, field, detail: "differs from that of another file with the same sha256" });
      sizes.set(content.sha256, content.size);
    }
  }
  const objects = files.flatMap(({ size, index = nothing, br = nothing, deltas = [] }) => [
    ...[{ size }, index, br, ("index" in br && br.index) || nothing],
    ...deltas,
  ]);
  if (objects.reduce((bytes, { size }) => bytes + size, 0) > limits.bytesPerRelease) {
    const detail = `makes the release larger than ${limits.bytesPerRelease} bytes`;
    problems.push({ index: files.length - 1, field: "size", detail });
  }
  return problems;
}

const nothing = { size: 0 };

/** Below this the headers are most of a response. */
const smallestVariedBytes = 1_024;

/** Whether a file may have a compressed variant: it is not compressed already, and not too small. */
export function mayHaveVariant({ path, size }: Pick<ManifestFile, "path" | "size">): boolean {
  return size >= smallestVariedBytes && !isCompressedType(path);
}

/** Whether a compressed variant of a file saves enough to be kept and sent. */
export function isWorthSending(variantSize: number, { size }: Pick<Content, "size">): boolean {
  return variantSize * 100 <= size * (100 - limits.variantSavingPercent);
}

/** Below this a redirect costs more than it saves. */
export const smallestByContent = 256 * 1024;

/**
 * Whether players load a file of this path and size from a URL that names its content, unless the release says otherwise. What has
 * relative URLs or the origin of its own URL, as pages, scripts and styles, must come from its own URL.
 */
export function goesByContent({ path, size }: Pick<ManifestFile, "path" | "size">): boolean {
  const { type, isDocument } = contentTypeOf(path);
  return size >= smallestByContent && !isDocument && !/^text\/(?:javascript|css)/.test(type);
}

/** Whether a delta of a file saves enough to be kept and sent: it is less than half of what a browser without a dictionary loads. */
export function isDeltaWorthSending(deltaSize: number, { size, br }: Pick<ManifestFile, "size" | "br">): boolean {
  return deltaSize * 2 < (br?.size ?? size);
}

/**
 * Whether a file may have deltas and be a dictionary: browsers have the bytes that its name and its hash stand for, or what Brotli
 * unpacks them to. Not one in gzip, of which decoders differ in whether they go on behind the first member (RFC 1952, section 2.2).
 */
export function mayHaveDeltas({ path, encoding }: Pick<ManifestFile, "path" | "encoding">): boolean {
  const stored = storedEncodingOf(path);
  return stored === undefined || (stored.encoding === "br" && encoding === undefined);
}

/**
 * Names the bytes that a browser has of a file: files with the same name have the same ones, and may share a delta. A file that is sent as
 * it is stored and one that browsers unpack may have one SHA-256.
 */
export function seenBytesOf(file: Pick<ManifestFile, "path" | "sha256" | "encoding">): string {
  const stored = sentEncodingOf(file);
  return stored === undefined ? file.sha256 : `${file.sha256}.${stored.encoding}`;
}

function variantProblems(files: readonly ManifestFile[]): ManifestProblem[] {
  const problems: ManifestProblem[] = [];
  for (const [index, file] of files.entries()) {
    const isNamedCompressed = storedEncodingOf(file.path) !== undefined;
    if (file.encoding !== undefined && !isNamedCompressed)
      problems.push({
        index,
        field: "encoding",
        detail: "must be left out if the name ends in neither .br nor .gz",
      });
    for (const detail of deltaProblems(file)) problems.push({ index, field: "deltas", detail });
    if (file.deltas !== undefined && !mayHaveDeltas(file)) {
      const detail = "must be left out if the name ends in .gz, or in .br and the file is sent as it is stored";
      problems.push({ index, field: "deltas", detail });
    }
    if (file.br === undefined) continue;
    if (!isWorthSending(file.br.size, file)) {
      const detail = `must be at least ${limits.variantSavingPercent} % smaller than the file`;
      problems.push({ index, field: "br", detail });
    }
    if (isNamedCompressed)
      problems.push({ index, field: "br", detail: "must be left out if the file itself is stored compressed" });
  }
  return problems;
}

/** That a delta or a variant gives the right bytes is found out later, by unpacking it (docs/decisions/0073-deltas.md). */
function deltaProblems(file: ManifestFile): string[] {
  const { deltas = [], sha256 } = file;
  const dictionaries = deltas.map(({ dictionary }) => dictionary);
  return [
    ...(dictionaries.includes(sha256) ? ["must have the dictionary of an older file, not of the file itself"] : []),
    ...(new Set(dictionaries).size < deltas.length ? ["must not have a dictionary twice"] : []),
    ...(deltas.every(({ size }) => isDeltaWorthSending(size, file))
      ? []
      : ["must be smaller than half of the Brotli variant, or of the file if it has none"]),
  ];
}

/** No two paths are such that one disk cannot hold both, also a disk that ignores upper and lower case. */
function twinProblems(files: readonly ManifestFile[]): ManifestProblem[] {
  const problems: ManifestProblem[] = [];
  const seen = new Map<string, string>();
  const folders = new Map<string, string>();
  for (const [index, { path }] of files.entries()) {
    const folded = foldedPath(path);
    const twin = seen.get(folded) ?? folders.get(folded);
    if (twin !== undefined) problems.push({ index, field: "path", detail: twinDetail(path, twin) });
    seen.set(folded, path);
    for (let end = folded.indexOf("/"); end !== -1; end = folded.indexOf("/", end + 1)) {
      const folder = folded.slice(0, end);
      if (folders.has(folder)) continue;
      folders.set(folder, path);
      if (seen.has(folder)) problems.push({ index, field: "path", detail: folderAndFile });
    }
  }
  return problems;
}

const folderAndFile = "has a file where another path has a folder";

function twinDetail(path: string, twin: string): string {
  if (path === twin) return "is in the manifest twice";
  if (foldedPath(path) === foldedPath(twin)) return "differs from another path only in upper and lower case";
  return folderAndFile;
}
