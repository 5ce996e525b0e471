import { contentTypeOf, sentEncodingOf } from "../../contract/api/releases/content-types.ts";
import type { Content, Delta } from "../../contract/api/releases/manifest-rules.ts";
import type { EdgeRequest } from "../request.ts";
import { takesBrotli } from "./brotli.ts";
import { deltaKey, dictionaryOf } from "./named-content.ts";
import type { ReleaseFile } from "./resolve.ts";

/** The bytes that are sent for a file, and what they are. */
export interface Representation {
  readonly object: Content;
  readonly contentType: string;
  readonly contentEncoding: string | undefined;
  readonly isDocument: boolean;
  /** The request's headers that choose the bytes. */
  readonly varies: readonly string[];
}

/**
 * Chooses the representation of a file for a request. A file that the build compressed is sent as it is stored, with
 * its encoding, or as a delta that gives what it unpacks to. Otherwise a client that accepts Brotli gets the variant, if there is one. A
 * range is always one of the file itself, because media players seek in it.
 *
 * @param deltas from which a client that has one of their dictionaries gets one instead
 */
export function representationOf(
  path: string,
  file: ReleaseFile,
  request: EdgeRequest,
  deltas: readonly Delta[] = [],
): Representation {
  const stored = sentEncodingOf({ path, encoding: file.encoding });
  const { type: contentType, isDocument } = contentTypeOf(stored?.innerPath ?? path);
  const varies = [
    ...(file.br === undefined && deltas.length === 0 ? [] : ["Accept-Encoding"]),
    ...(deltas.length === 0 ? [] : ["Available-Dictionary"]),
  ];
  const common = { contentType, isDocument, varies };
  const delta = takesBrotli(request) ? deltaFor(path, request, deltas) : undefined;
  if (delta !== undefined) return { ...common, object: delta, contentEncoding: "dcz" };
  if (stored !== undefined) return { ...common, object: file, contentEncoding: stored.encoding };
  if (file.br !== undefined && takesBrotli(request)) return { ...common, object: file.br, contentEncoding: "br" };
  return { ...common, object: file, contentEncoding: undefined };
}

/** Its request names the dictionary, or as the cache's key does the delta. */
function deltaFor(path: string, request: EdgeRequest, deltas: readonly Delta[]): Delta | undefined {
  const named = dictionaryOf(request);
  return deltas.find(({ dictionary }) => {
    const digest = Buffer.from(dictionary, "hex").toString("base64url");
    return named === digest || named === deltaKey(path, digest);
  });
}
