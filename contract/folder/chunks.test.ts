import { expect, test } from "@jest/globals";
import { Chunker, type Chunks, chunksIn, copiesFrom, indexOf } from "./chunks.ts";

const mebibyte = 1024 * 1024;
const part = 5 * mebibyte;

/** Random bytes, the same for one seed (xorshift). */
function noise(seed: number, length: number): Buffer {
  const words = new Uint32Array(Math.ceil(length / 4));
  let state = seed;
  for (let index = 0; index < words.length; index += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    words[index] = state;
  }
  return Buffer.from(words.buffer, 0, length);
}

function chunksOf(bytes: Uint8Array, piece = bytes.length): Chunks {
  const chunker = new Chunker();
  for (let from = 0; from < bytes.length; from += piece) chunker.update(bytes.subarray(from, from + piece));
  return chunker.chunks();
}

const stored = (sha256: string, bytes: Uint8Array) => ({ sha256, size: bytes.length, chunks: chunksOf(bytes) });
const copies = (from: readonly { sha256: string; bytes: Uint8Array }[], bytes: Uint8Array) =>
  copiesFrom(
    from.map((file) => stored(file.sha256, file.bytes)),
    { size: bytes.length, chunks: chunksOf(bytes) },
  );

const old = noise(1, 4 * part + 1_000);

test("a content has the chunks that it always had, however it comes: others would find nothing of what is stored", () => {
  const { lengths, checksums } = chunksOf(noise(2, mebibyte));
  expect(lengths).toEqual([
    26148, 48208, 43830, 28918, 70685, 105743, 35101, 72222, 92202, 49597, 150456, 40577, 95551, 139552, 38862, 10924,
  ]);
  expect(checksums[0]).toBe(-594009341);
  expect(chunksOf(noise(2, mebibyte), 4_099)).toEqual({ lengths, checksums });
  expect(chunksOf(Buffer.alloc(0))).toEqual({ lengths: [], checksums: [] });
});

test("a chunk has 16 KiB at least and 256 KiB at most, but for the last one", () => {
  const { lengths } = chunksOf(Buffer.concat([old, Buffer.alloc(mebibyte)]));
  expect(Math.max(...lengths)).toBe(256 * 1024);
  expect(Math.min(...lengths.slice(0, -1))).toBeGreaterThanOrEqual(16 * 1024);
});

test("an index is small and gives the same chunks again", () => {
  const chunks = chunksOf(old);
  const index = indexOf(chunks);
  expect(chunksIn(index)).toEqual(chunks);
  expect(index.length).toBeLessThan(old.length / 5_000);
});

test.each([
  ["nothing", Buffer.alloc(0)],
  ["another kind of file", Buffer.from("<html>")],
  ["an index of another version", Buffer.concat([Buffer.from("svc2"), Buffer.alloc(7)])],
  ["an index that is cut off", Buffer.from(indexOf(chunksOf(old)).subarray(0, -1))],
])("%s has no chunks", (_, bytes) => {
  expect(chunksIn(bytes)).toEqual({ lengths: [], checksums: [] });
});

const from = [{ sha256: "old", bytes: old }];
const inserted = noise(3, 100_000);

test.each<[string, Buffer, [number, number][]]>([
  [
    "as it was",
    old,
    [
      [1, 0],
      [2, part],
      [3, 2 * part],
      [4, 3 * part],
      [5, 4 * part],
    ],
  ],
  [
    "with bytes before it",
    Buffer.concat([inserted, old]),
    [
      [2, part - 100_000],
      [3, 2 * part - 100_000],
      [4, 3 * part - 100_000],
      [5, 4 * part - 100_000],
    ],
  ],
  [
    "without its first bytes",
    old.subarray(100_000),
    [
      [2, part + 100_000],
      [3, 2 * part + 100_000],
      [4, 3 * part + 100_000],
    ],
  ],
  [
    "with bytes after it",
    Buffer.concat([old, inserted]),
    [
      [1, 0],
      [2, part],
      [3, 2 * part],
    ],
  ],
  [
    "with bytes in the middle",
    Buffer.concat([old.subarray(0, 2 * part + mebibyte), inserted, old.subarray(2 * part + mebibyte)]),
    [
      [1, 0],
      [2, part],
      [4, 3 * part - 100_000],
      [5, 4 * part - 100_000],
    ],
  ],
  [
    "with its halves exchanged",
    Buffer.concat([old.subarray(2 * part + mebibyte), old.subarray(0, 2 * part + mebibyte)]),
    [[3, mebibyte - 1_000]],
  ],
  ["another one", noise(4, 4 * part), []],
])("of a file %s the parts are found that it has", (_, bytes, expected) => {
  const found = copies(from, bytes);
  expect(found.map(({ number, offset }) => [number, offset])).toEqual(expected);
  for (const { number, offset } of found) {
    const own = bytes.subarray((number - 1) * part, number * part);
    expect(Buffer.compare(own, old.subarray(offset, offset + own.length))).toBe(0);
  }
});

test("parts are found in several files, and in one of equal bytes", () => {
  const [a, b] = [noise(5, 3 * part), noise(6, 3 * part)];
  const both = Buffer.concat([b.subarray(0, 2 * part + mebibyte), a.subarray(part)]);
  const sources = [
    { sha256: "a", bytes: a },
    { sha256: "b", bytes: b },
  ];
  expect(copies(sources, both).map(({ number, sha256 }) => [number, sha256])).toEqual([
    [1, "b"],
    [2, "b"],
    [4, "a"],
    [5, "a"],
  ]);
  const zeros = Buffer.alloc(4 * part);
  const found = copies([{ sha256: "zeros", bytes: zeros }], zeros.subarray(0, 3 * part + 5));
  expect(found.length).toBeGreaterThanOrEqual(3);
  for (const { offset, number } of found) expect(offset + (number === 4 ? 5 : part)).toBeLessThanOrEqual(zeros.length);
});

test.each([
  ["lengths that are longer than the file", { lengths: [5 * part, 5 * part], checksums: [1, 2] }],
  ["a length of nothing", { lengths: [0, 0, 0], checksums: [1, 1, 1] }],
])("an index with %s gives no place outside of the file", (_, chunks) => {
  const found = copiesFrom([{ sha256: "hostile", size: part + 1, chunks }], { size: 5 * part, chunks });
  for (const { offset } of found) expect(offset + part).toBeLessThanOrEqual(part + 1);
});
