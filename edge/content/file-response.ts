import { sentEncodingOf } from "../../contract/api/releases/content-types.ts";
import { goesByContent } from "../../contract/api/releases/manifest-rules.ts";
import { dictionaryPath, matchesPattern, type ReleaseSettings } from "../../contract/api/releases/release-settings.ts";
import { bodyFor } from "../pages/own-response.ts";
import type { EdgeRequest, EdgeResponse } from "../request.ts";
import { isWorkerScript, startsVisit } from "../visit/visit.ts";
import { isNotModified } from "./conditional.ts";
import { etagOf, frameHeaders, namedContentEtag } from "./frame.ts";
import {
  contentHeaders,
  dictionaryHeader,
  everywhere,
  isolationHeaders,
  missing,
  namedContentHeaders,
  preloadHeaders,
  representationHeaders,
  revalidated,
  varyHeaders,
} from "./headers.ts";
import { namedContentUrl } from "./named-content.ts";
import { requestedRange } from "./range.ts";
import { type Representation, representationOf } from "./representation.ts";
import type { ReleaseFile } from "./resolve.ts";

export interface FoundFile {
  readonly path: string;
  readonly file: ReleaseFile;
  readonly settings: ReleaseSettings;
}

/**
 * A file of a release, or the part of it or the status that the request's range and conditions ask for; a redirect for one that goes by
 * its content.
 */
export function fileResponse(request: EdgeRequest, found: FoundFile): EdgeResponse {
  const { path, file, settings } = found;
  const isFile = !startsVisit(request) && !isWorkerScript(request);
  if (isFile && isSentByContent(found)) {
    const location = namedContentUrl({ path, sha256: file.sha256 });
    return leadResponse(request, location, settings);
  }
  // Not by its content: only what browsers keep under a name with a hash.
  const dictionaries = isFile ? dictionaryPath({ path, ...file }, settings) : undefined;
  const representation = representationOf(path, file, request, dictionaries === undefined ? [] : file.deltas);
  const etag = etagOf(representation, settings);
  const isKept = !isWorkerScript(request);
  return representationResponse(request, representation, {
    ...everywhere,
    ...isolationHeaders(settings),
    ...frameHeaders(representation, settings),
    ...preloadHeaders(representation, settings),
    ...representationHeaders(path, representation, { etag, settings, isKept }),
    ...(dictionaries !== undefined && dictionaryHeader(`/${dictionaries}`)),
  });
}

/** Whether a file is sent from a URL that names its content. What browsers keep for good already is not. */
export function isSentByContent({ path, file, settings }: FoundFile): boolean {
  if (settings.updates === "whole" || matchesPattern(path, settings.immutable)) return false;
  const inner = sentEncodingOf({ path, encoding: file.encoding })?.innerPath;
  return goesByContent({ path: inner ?? path, size: file.size });
}

/** A file at the URL that names its content. */
export function namedContentResponse(request: EdgeRequest, { path, file, settings }: FoundFile): EdgeResponse {
  const representation = representationOf(path, file, request, file.deltas);
  return representationResponse(request, representation, {
    ...everywhere,
    ...isolationHeaders(settings),
    etag: namedContentEtag(representation, settings),
    ...namedContentHeaders({ path, encoding: file.encoding }, representation),
  });
}

function representationResponse(
  request: EdgeRequest,
  representation: Representation,
  always: Readonly<Record<string, string>> & { readonly etag: string },
): EdgeResponse {
  const { size, sha256 } = representation.object;
  const { etag } = always;
  if (isNotModified(request, etag)) return { status: 304, headers: always, body: undefined };
  const range = requestedRange(request, { size, etag });
  if (range === "unsatisfiable") {
    const none = { "cache-control": "no-store", "content-range": `bytes */${size}`, "content-length": "0" };
    return { status: 416, headers: { ...always, ...none }, body: undefined };
  }
  const { start, end } = range ?? { start: 0, end: size };
  const described = { ...always, ...contentHeaders(representation), "content-length": String(end - start) };
  const body = bodyFor(request, { sha256, start, end });
  if (range === undefined) return { status: 200, headers: described, body };
  return { status: 206, headers: { ...described, "content-range": `bytes ${start}-${end - 1}/${size}` }, body };
}

/**
 * Leads to the URL at which a file is just now. What follows no redirect, as `curl -O` does not, stores a sentence that says so, and not an
 * empty file.
 */
export function leadResponse(request: EdgeRequest, location: string, settings: ReleaseSettings): EdgeResponse {
  const text = `This file is at ${location}: follow the redirect (curl -L).\n`;
  const { headers } = redirectResponse(location, settings);
  const about = { "content-type": "text/plain; charset=utf-8", "content-length": String(text.length) };
  return { status: 307, headers: { ...headers, ...about }, body: bodyFor(request, { text }) };
}

/** 302, not 301: the next release may have a file of that name. */
export function redirectResponse(location: string, settings: ReleaseSettings): EdgeResponse {
  const all = { ...everywhere, ...isolationHeaders(settings), location, "cache-control": revalidated };
  return { status: 302, headers: { ...all, "content-length": "0" }, body: undefined };
}

/** A release's own page for missing files; neither conditions nor ranges apply to it. */
export function missingPageResponse(request: EdgeRequest, { path, file, settings }: FoundFile): EdgeResponse {
  const representation = representationOf(path, file, request);
  const { size, sha256 } = representation.object;
  const described = {
    ...everywhere,
    ...isolationHeaders(settings),
    ...frameHeaders(representation, settings),
    ...contentHeaders(representation),
    ...varyHeaders(representation),
    "content-length": String(size),
    "cache-control": missing,
  };
  return { status: 404, headers: described, body: bodyFor(request, { sha256, start: 0, end: size }) };
}
