import { createCipheriv, createHash } from "node:crypto";
import { zstdDecompressSync } from "node:zlib";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { type DeltaOptions, deltaOf, ZstandardDeltas } from "./deltas.ts";

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest();

/** Bytes that a browser makes of a delta: the header is compared, then the frame unpacked with the older file (RFC 9842, section 5). */
function unpacked(delta: Buffer, dictionary: Buffer): Buffer {
  expect(delta.subarray(0, 8).toString("hex")).toBe("5e2a4d1820000000");
  expect(delta.subarray(8, 40)).toEqual(sha256(dictionary));
  return zstdDecompressSync(delta.subarray(40), { dictionary });
}

/** Bytes that no compression makes smaller, the same each time. */
function noise(length: number, seed: string): Buffer {
  const key = sha256(Buffer.from(seed));
  return createCipheriv("aes-256-ctr", key, Buffer.alloc(16)).update(Buffer.alloc(length));
}

interface Edit {
  readonly at: number;
  readonly removed: number;
  readonly inserted: number;
}

function edited(bytes: Buffer, edits: readonly Edit[]): Buffer {
  return edits.reduce((before, { at, removed, inserted }, index) => {
    const start = Math.floor(at * before.length);
    const middle = noise(inserted, `edit ${index} of ${inserted}`);
    return Buffer.concat([before.subarray(0, start), middle, before.subarray(start + removed)]);
  }, bytes);
}

test("50 random edits of files: a delta gives the right bytes, and is not much more than what is new", async () => {
  const edit = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    removed: fc.integer({ min: 0, max: 60_000 }),
    inserted: fc.integer({ min: 0, max: 60_000 }),
  });
  const older = noise(700_000, "older");
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { maxLength: 8 }), fc.integer({ min: 1, max: 700_000 }), async (edits, length) => {
      const before = older.subarray(0, length);
      const after = edited(before, edits);
      const delta = await deltaOf(after, before);
      if (delta === undefined) throw new Error("There is no delta");
      expect(unpacked(delta, before).equals(after)).toBe(true);
      const fresh = edits.reduce((sum, { inserted }) => sum + inserted, 0);
      expect(delta.length).toBeLessThan(1.1 * fresh + 2_000);
    }),
    { numRuns: 50 },
  );
});

test.each([
  ["8 MiB that became 9, which is within the window of the older file", 8, 9],
  ["9 MiB that became 12, of which the window reaches a part", 9, 12],
])("a frame's window is one that browsers permit: of %s", async (_, before, after) => {
  const [older, newer] = [noise(before * 2 ** 20, "older"), noise(after * 2 ** 20, "older")];
  const delta = await deltaOf(newer, older);
  if (delta === undefined) throw new Error("There is no delta");
  expect(unpacked(delta, older).equals(newer)).toBe(true);
  expect(windowOf(delta.subarray(40))).toBeLessThanOrEqual(Math.max(8 * 2 ** 20, 1.25 * older.length));
});

test("an older file above 100 MiB, which no browser keeps as a dictionary, gets no delta", () => {
  const maker = new ZstandardDeltas({} as DeltaOptions);
  expect([100, 100.1].map((size) => maker.canUse({ size: size * 2 ** 20 }))).toEqual([true, false]);
  expect(maker.canMake({ size: 128 * 2 ** 20 })).toBe(true);
});

/** Bytes (RFC 8878, section 3.1.1.1). */
function windowOf(frame: Buffer): number {
  const descriptor = frame[4] ?? 0;
  if ((descriptor & 0x20) === 0) {
    const [exponent, mantissa] = [(frame[5] ?? 0) >> 3, (frame[5] ?? 0) & 7];
    const base = 2 ** (10 + exponent);
    return base + (base / 8) * mantissa;
  }
  const fieldSize = [1, 2, 4, 8][descriptor >> 6] ?? 0;
  return fieldSize === 2 ? frame.readUInt16LE(5) + 256 : frame.readUIntLE(5, Math.min(6, fieldSize));
}
