import { hash } from "node:crypto";
import { expect, test } from "@jest/globals";
import { ContentHash, partSizes } from "./content-hash.ts";
import { nodeHashes } from "./node-hashes.ts";
import { nameOfParts } from "./parts.ts";

const mebibyte = 1024 * 1024;
const largeFileBytes = 16 * mebibyte;
const bytesPerPart = 5 * mebibyte;

/** The hash of a content that comes in pieces of this length. */
function hashOf(bytes: Uint8Array, piece: number, size?: number): ContentHash {
  const content = new ContentHash(nodeHashes, size);
  for (let from = 0; from < bytes.length; from += piece) content.update(bytes.subarray(from, from + piece));
  return content;
}

/** Each part has other bytes; the last has a mebibyte and a byte. */
const large = Buffer.alloc(largeFileBytes + 1, Buffer.from([1, 2, 3, 4, 5]));
const largest = large.subarray(0, largeFileBytes);
const nameOfLargest = hash("sha256", largest);
const parts = [0, 1, 2, 3].map((index) =>
  hash("sha256", large.subarray(index * bytesPerPart, (index + 1) * bytesPerPart)),
);

test.each([undefined, largeFileBytes])("up to 16 MiB the name is the SHA-256, if the size is given as %s", (size) => {
  expect(hashOf(largest, largeFileBytes, size).digest()).toBe(nameOfLargest);
});

test.each([
  ["a tenth of a part", Math.floor(bytesPerPart / 10), largeFileBytes + 1],
  ["three parts and a byte", 3 * bytesPerPart + 1, largeFileBytes + 1],
  ["three parts and a byte", 3 * bytesPerPart + 1, undefined],
])("above 16 MiB its parts give the name, though it comes in pieces of %s", (_, piece, size) => {
  const content = hashOf(large, piece, size);
  expect(content.digest()).toBe(nameOfParts(parts));
  expect(content.parts()).toEqual(parts);
});

test("the parts of a file have one length, but the last, which has the rest", () => {
  expect(partSizes(largeFileBytes + 1)).toEqual([bytesPerPart, bytesPerPart, bytesPerPart, mebibyte + 1]);
  expect(partSizes(2 * bytesPerPart)).toEqual([bytesPerPart, bytesPerPart]);
});
