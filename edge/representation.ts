import { contentTypeOf, storedEncodingOf } from "../contract/api/content-types.ts";
import type { Content } from "../contract/api/manifest-rules.ts";
import { takesBrotli } from "./brotli.ts";
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
  if (file.br !== undefined && takesBrotli(request)) return { ...common, object: file.br, contentEncoding: "br" };
  return { ...common, object: file, contentEncoding: undefined };
}
