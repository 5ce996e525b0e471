import { contentTypeOf, storedEncodingOf } from "../contract/content-types.ts";
import type { Content } from "../contract/manifest-rules.ts";
import { qualitiesOf } from "../contract/qualities.ts";
import type { EdgeRequest } from "./request.ts";
import type { ReleaseFile } from "./resolve.ts";

/** The bytes that are sent for a file, and what they are. */
export interface Representation {
  readonly object: Content;
  readonly contentType: string;
  readonly contentEncoding: string | undefined;
  readonly isDocument: boolean;
  /** A request that accepts other encodings may get other bytes. */
  readonly varies: boolean;
}

/**
 * Chooses the representation of a file for a request. A file that the build compressed is sent as it is stored, with
 * its encoding. Otherwise a client that accepts Brotli gets the variant, if there is one. A range is always one of the
 * file itself, because media players seek in it.
 */
export function representationOf(path: string, file: ReleaseFile, request: EdgeRequest): Representation {
  const stored = file.encoding === "identity" ? undefined : storedEncodingOf(path);
  const { type: contentType, isDocument } = contentTypeOf(stored?.innerPath ?? path);
  const varies = file.br !== undefined;
  const common = { contentType, isDocument, varies };
  if (stored !== undefined) return { ...common, object: file, contentEncoding: stored.encoding };
  const { range, "accept-encoding": acceptEncoding = "" } = request.headers;
  const isRange = range !== undefined && request.method === "GET";
  if (file.br !== undefined && !isRange && acceptsBrotli(acceptEncoding))
    return { ...common, object: file.br, contentEncoding: "br" };
  return { ...common, object: file, contentEncoding: undefined };
}

/** Whether Brotli is accepted, and not less than the bytes as they are (RFC 9110, section 12.5.3). */
export function acceptsBrotli(acceptEncoding: string): boolean {
  const qualities = qualitiesOf(acceptEncoding);
  const brotli = qualities.get("br") ?? qualities.get("*") ?? 0;
  return brotli > 0 && brotli >= (qualities.get("identity") ?? 0);
}
