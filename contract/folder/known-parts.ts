import { limits } from "../api/limits.ts";
import type { Content } from "../api/releases/manifest-rules.ts";
import { partSizes } from "./content-hash.ts";

/*
 * Parts of large files that the service has in files of the live release: docs/decisions/0059-large-files-in-parts.md.
 */

/** Part of a file, the first is 1, that the store has from an offset on in another one. */
export interface Copy {
  readonly number: number;
  readonly sha256: string;
  readonly offset: number;
}

/** Copies in place of parts that need not be sent, by the file's hash. */
export type KnownParts = ReadonlyMap<string, readonly Copy[]>;

/** Bytes of the parts that are known of a file. */
export function knownBytes(size: number, copies: readonly Copy[] = []): number {
  const sizes = partSizes(size);
  return copies.reduce((sum, { number }) => sum + (sizes[number - 1] ?? 0), 0);
}

/** Bytes of the parts that are known of all these files. */
export function allKnownBytes(files: readonly Content[], known: KnownParts): number {
  return files.reduce((sum, { size, sha256 }) => sum + knownBytes(size, known.get(sha256)), 0);
}

/** Requests what is missing of a file, with as many of its copies at a time as one request may have. @returns the last response */
export async function requestWithCopies<Missing extends { readonly stored: boolean }>(
  copies: readonly Copy[],
  request: (copies: readonly Copy[]) => Promise<Missing>,
): Promise<Missing> {
  let missing = await request(copies.slice(0, limits.copiesPerCall));
  for (let from = limits.copiesPerCall; from < copies.length && !missing.stored; from += limits.copiesPerCall)
    missing = await request(copies.slice(from, from + limits.copiesPerCall));
  return missing;
}
