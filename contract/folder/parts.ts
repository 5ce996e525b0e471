import { nameFrom } from "./content-hash.ts";
import { nodeHashes } from "./node-hashes.ts";

/*
 * Files that are sent in parts: docs/decisions/0059-large-files-in-parts.md.
 */

/**
 * The name of a file that is sent in parts, from their SHA-256s in hexadecimal: the first half of the SHA-512 of these, one after
 * the other. It has the form of a SHA-256, and is one of no file: nobody can find such a file.
 */
export function nameOfParts(parts: readonly string[]): string {
  return nameFrom(parts, nodeHashes.sha512);
}
