import { limits } from "../api/limits.ts";
import { nameFrom } from "./content-hash.ts";
import { nodeHashes } from "./node-hashes.ts";

/*
 * Files that are sent in parts: docs/decisions/0059-large-files-in-parts.md.
 */

/** The lengths of a file's parts, in their order: all of one length but the last. */
export function partSizes(size: number, bytesPerPart: number = limits.bytesPerPart): number[] {
  return Array.from({ length: Math.ceil(size / bytesPerPart) }, (_, index) =>
    Math.min(bytesPerPart, size - index * bytesPerPart),
  );
}

/**
 * The name of a file that is sent in parts, from their SHA-256s in hexadecimal: the first half of the SHA-512 of these, one after
 * the other. It has the form of a SHA-256, and is one of no file: nobody can find such a file.
 */
export function nameOfParts(parts: readonly string[]): string {
  return nameFrom(parts, nodeHashes.sha512);
}
