import { pipeline, Readable } from "node:stream";
import type { ReadableStream as WebStream } from "node:stream/web";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { nodeHashes } from "../../../contract/folder/node-hashes.ts";
import type { BrotliOptions, Platform } from "../../../publisher/ports.ts";
import type { SourceFile } from "../../../publisher/source.ts";

/** Hashes and Brotli of Node. zlib compresses in Node's thread pool, whose size is four. */
export const nodePlatform: Platform = {
  hashes: nodeHashes,
  brotli: { atOnce: 4, smallAtOnce: 4, compressed, compressedWhole, unpacked },
};

const chunkSize = 256 * 1024;

async function compressed(bytes: ReadableStream<Uint8Array>, { quality, size, flushPoints }: BrotliOptions) {
  const brotli = zlib.createBrotliCompress({ chunkSize, params: paramsFor(quality, size) });
  const flushed = (pieces: AsyncIterable<Buffer>) => flushedAt(flushPoints, pieces, brotli);
  // Who reads the stream gets the failure.
  pipeline(nodeStream(bytes), flushed, brotli, () => {});
  return webStream(brotli);
}

function paramsFor(quality: number, size: number): NonNullable<zlib.BrotliOptions["params"]> {
  return {
    [zlib.constants.BROTLI_PARAM_QUALITY]: quality,
    [zlib.constants.BROTLI_PARAM_SIZE_HINT]: Math.min(size, 2 ** 30),
  };
}

/** Compressing so few bytes takes half a millisecond, and as much again to hand them to a thread of the pool. */
const maxBytesHere = 16 * 1024;
/** Signals and progress run at least so often. */
const millisecondsPerTurn = 20;
let turnBegan = 0;

async function compressedWhole(bytes: Uint8Array<ArrayBuffer>, quality: number): Promise<Uint8Array<ArrayBuffer>> {
  const options = { params: paramsFor(quality, bytes.length) };
  if (bytes.length > maxBytesHere) return await promisify(zlib.brotliCompress)(bytes, options);
  if (performance.now() - turnBegan > millisecondsPerTurn) {
    await nextTurn();
    turnBegan = performance.now();
  }
  return zlib.brotliCompressSync(bytes, options);
}

/** Passes bytes on, and has the compressor write what it has at each of these offsets. */
async function* flushedAt(points: readonly number[], pieces: AsyncIterable<Buffer>, brotli: zlib.BrotliCompress) {
  const rest = points.values();
  let [point, offset] = [rest.next().value, 0];
  for await (const piece of pieces) {
    let from = 0;
    while (point !== undefined && point <= offset + piece.length) {
      yield piece.subarray(from, point - offset);
      brotli.flush(zlib.constants.BROTLI_OPERATION_FLUSH);
      [from, point] = [point - offset, rest.next().value];
    }
    if (from < piece.length) yield piece.subarray(from);
    offset += piece.length;
  }
}

async function unpacked(file: SourceFile) {
  const brotli = zlib.createBrotliDecompress({ chunkSize });
  pipeline(nodeStream(file.stream()), brotli, () => {});
  async function* whole() {
    yield* brotli;
    // zlib reads no further than the end.
    if (file.size === 0 || brotli.bytesWritten !== file.size) throw new Error("There are bytes after the end");
  }
  return webStream(Readable.from(whole()));
}

export function nodeStream(stream: ReadableStream<Uint8Array>): Readable {
  return Readable.fromWeb(stream as WebStream<Uint8Array>);
}

function webStream(stream: Readable): ReadableStream<Uint8Array> {
  return Readable.toWeb(stream) as ReadableStream<Uint8Array>;
}
