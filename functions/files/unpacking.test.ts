import { createHash, randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { brotliCompressSync, constants, createBrotliCompress, zstdCompressSync } from "node:zlib";
import { describe, expect, test } from "@jest/globals";
import {
  isDeltaFrom,
  isPlainDictionary,
  unpackBrotli,
  unpackDelta,
  unpackSmallBrotli,
  unpackStored,
} from "./unpacking.ts";

const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");
const file = Buffer.from("let score = 0;\n".repeat(20_000));
const older = Buffer.from(`${"let score = 0;\n".repeat(19_000)}end`);
const brotli = brotliCompressSync(file);
const frame = zstdCompressSync(file, { dictionary: older });
const header = Buffer.concat([Buffer.from("5e2a4d1820000000", "hex"), Buffer.from(sha256(older), "hex")]);
const delta = Buffer.concat([header, frame]);
const known = { sha256: sha256(file), name: sha256(file) };

async function* inPieces(bytes: Buffer, length = 100) {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

describe("a Brotli copy", () => {
  test("gives the SHA-256 of what it unpacks to", async () => {
    expect(await unpackBrotli(inPieces(brotli), { size: file.length })).toEqual(known);
    expect(unpackSmallBrotli(brotli, { size: file.length })).toEqual(file);
  });

  test.each<[string, Buffer, number]>([
    ["of a longer file", brotli, file.length - 1],
    ["of a shorter file", brotli, file.length + 1],
    ["that is cut", brotli.subarray(0, -1), file.length],
    ["with bytes behind its end", Buffer.concat([brotli, Buffer.from("x")]), file.length],
    ["that is no Brotli", Buffer.from("let score = 0;\n"), 15],
    ["of nothing", Buffer.of(), 0],
  ])("%s is none", async (_, copy, size) => {
    for (const length of [7, 100_000]) expect(await unpackBrotli(inPieces(copy, length), { size })).toBeUndefined();
    expect(unpackSmallBrotli(copy, { size })).toBeUndefined();
  });

  test("ends at the size of the file, however much it would unpack to", async () => {
    const long = brotliCompressSync(randomBytes(4_000_000), { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } });
    let read = 0;
    const counted = async function* () {
      for await (const piece of inPieces(long, 16_384)) {
        read += piece.length;
        yield piece;
      }
    };
    expect(await unpackBrotli(counted(), { size: 1_000_000 })).toBeUndefined();
    expect(read).toBeLessThan(long.length / 2);
  });

  test("of a small file that is a bomb is unpacked to the size of the file alone", async () => {
    const zeros = function* () {
      for (let count = 0; count < 512; count += 1) yield Buffer.alloc(1024 * 1024);
    };
    const packer = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 0 } });
    const bomb = await buffer(Readable.from(zeros()).pipe(packer));
    // Otherwise what an earlier test of this process needed would hide what this one needs. Linux alone has it: proc_pid_clear_refs(5).
    if (process.platform === "linux") writeFileSync("/proc/self/clear_refs", "5");
    const before = process.resourceUsage().maxRSS;
    expect(unpackSmallBrotli(bomb, { size: 1_000 })).toBeUndefined();
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(256 * 1024);
  });

  test("that cannot be read is not called wrong", async () => {
    const broken = async function* () {
      yield brotli.subarray(0, 10);
      throw Object.assign(new Error("reset"), { code: "ECONNRESET" });
    };
    await expect(unpackBrotli(broken(), { size: file.length })).rejects.toThrow("reset");
  });
});

describe("a file that is stored in Brotli", () => {
  test("gives what it unpacks to, its length and its SHA-256", async () => {
    const pieces: Buffer[] = [];
    const unpacked = await unpackStored(inPieces(brotli), (piece) => pieces.push(piece));
    expect(unpacked).toEqual({ size: file.length, sha256: sha256(file) });
    expect(Buffer.concat(pieces).equals(file)).toBe(true);
  });

  test.each<[string, Buffer]>([
    ["that is cut", brotli.subarray(0, -1)],
    ["with bytes behind its end", Buffer.concat([brotli, Buffer.from("x")])],
    ["that is no Brotli", Buffer.from("let score = 0;\n")],
    ["of nothing", Buffer.of()],
  ])("%s gives nothing", async (_, stored) => {
    for (const length of [7, 100_000]) expect(await unpackStored(inPieces(stored, length))).toBeUndefined();
  });

  test("ends at what a dictionary may have, however much it would unpack to", async () => {
    const most = 128 * 1024 * 1024;
    const bomb = brotliCompressSync(Buffer.alloc(most + 1), { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
    let bytes = 0;
    const count = (piece: Buffer) => {
      bytes += piece.length;
    };
    expect(await unpackStored(inPieces(bomb), count)).toBeUndefined();
    expect(bytes).toBeLessThanOrEqual(most);
  });
});

describe("a delta", () => {
  test("gives the SHA-256 of what it unpacks to with its dictionary, which its header names", async () => {
    expect(await unpackDelta(delta, older, { size: file.length })).toEqual(known);
    expect(isDeltaFrom(delta, sha256(older))).toBe(true);
  });

  const half = file.length / 2;
  test.each<[string, Buffer]>([
    ["that is cut", delta.subarray(0, -1)],
    ["with bytes behind its frame", Buffer.concat([delta, Buffer.from("x")])],
    // Decoders differ in whether they go on.
    ["with a second frame", Buffer.concat([delta, zstdCompressSync("more")])],
    ["with an empty second frame", Buffer.concat([delta, zstdCompressSync("")])],
    [
      "in two frames",
      Buffer.concat([
        header,
        zstdCompressSync(file.subarray(0, half), { dictionary: older }),
        zstdCompressSync(file.subarray(half), { dictionary: older }),
      ]),
    ],
    ["behind a frame that decoders skip", Buffer.concat([header, Buffer.from("502a4d1801000000ff", "hex"), frame])],
    ["that is no Zstandard", Buffer.concat([header, Buffer.from("let score = 0;")])],
    ["without a frame", header],
  ])("%s is none", async (_, bytes) => {
    expect(await unpackDelta(bytes, older, { size: file.length })).toBeUndefined();
  });

  test("of another dictionary, or without the header, is none of this one", () => {
    for (const bytes of [
      frame,
      header.subarray(0, -1),
      Buffer.concat([Buffer.from("5c2a4d18", "hex"), delta.subarray(4)]),
    ])
      expect(isDeltaFrom(bytes, sha256(older))).toBe(false);
    expect(isDeltaFrom(delta, sha256(file))).toBe(false);
  });

  test("has no dictionary that zlib takes for a formatted one and browsers for bytes", () => {
    expect(isPlainDictionary(older)).toBe(true);
    expect(isPlainDictionary(Buffer.of())).toBe(true);
    expect(isPlainDictionary(Buffer.concat([Buffer.from("37a430ec", "hex"), older]))).toBe(false);
    expect(isPlainDictionary(Buffer.alloc(128 * 1024 * 1024 + 1))).toBe(false);
  });
});
