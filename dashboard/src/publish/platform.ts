import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { HashFunctions } from "../../../contract/folder/content-hash.ts";
import * as brotli from "../../../node_modules/brotli-wasm/pkg.web/brotli_wasm.js";
import type { Platform } from "../../../publisher/ports.ts";
import { joined } from "../../../publisher/source.ts";

/*
 * Hashes and Brotli of a page. Browsers compress with gzip alone, so the encoder is WebAssembly. The package exports only an entry that
 * guesses where its module lies, which a bundle changes.
 */

const outputBytes = 256 * 1024;

// TypeScript takes the package, which says no "type", for CommonJS, whose default export would be the whole module.
const load = brotli.default as unknown as typeof brotli.default.default;

/** @param encoder the module of the encoder, or its URL; loaded only if it is needed */
export function pagePlatform(encoder: brotli.InitInput): Platform {
  let loading: Promise<unknown> | undefined;
  // The package would fetch and compile its module anew with each call.
  const loaded = async () => {
    loading ??= load(encoder).catch((failure: unknown) => {
      loading = undefined;
      throw failure;
    });
    await loading;
  };
  return {
    hashes,
    brotli: {
      // The worker is one thread. While it compresses a small file, the browser reads the next ones.
      atOnce: 1,
      smallAtOnce: 4,
      compressed: async (bytes, { quality }) => {
        await loaded();
        return bytes.pipeThrough(compression(quality));
      },
      compressedWhole: async (bytes, quality) => {
        await loaded();
        // The package's own function for whole bytes takes memory for 4 MiB, and as many milliseconds.
        const stream = new brotli.CompressStream(quality);
        const pieces = [...compressedPieces(stream, bytes), ...compressedPieces(stream, undefined)];
        stream.free();
        return joined(pieces);
      },
      unpacked: async (file) => {
        await loaded();
        return file.stream().pipeThrough(decompression());
      },
    },
  };
}

/** Hashes in JavaScript: WebCrypto takes a content only whole. */
const hashes: HashFunctions = {
  sha256: () => {
    const hash = sha256.create();
    return { update: (chunk) => hash.update(chunk), digest: () => bytesToHex(hash.digest()) };
  },
  sha512: (bytes) => bytesToHex(sha512(bytes)),
};

function decompression(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new brotli.DecompressStream();
  let isOver = false;
  return new TransformStream({
    transform(chunk, controller) {
      let rest = chunk;
      // A few bytes may unpack to many: there can be more without any left.
      while (!isOver) {
        const result = decoder.decompress(rest, outputBytes);
        const { buf, code, input_offset: taken } = result;
        result.free();
        if (buf.length > 0) controller.enqueue(buf);
        isOver = code === brotli.BrotliStreamResultCode.ResultSuccess;
        if (code === brotli.BrotliStreamResultCode.NeedsMoreInput) return;
        rest = rest.subarray(taken);
      }
      if (rest.length > 0) throw new Error("There are bytes after the end");
    },
    flush() {
      decoder.free();
      if (!isOver) throw new Error("The end is missing");
    },
  });
}

function compression(quality: number): TransformStream<Uint8Array, Uint8Array> {
  const encoder = new brotli.CompressStream(quality);
  const pass = (input: Uint8Array | undefined, controller: TransformStreamDefaultController<Uint8Array>) => {
    for (const piece of compressedPieces(encoder, input)) controller.enqueue(piece);
  };
  return new TransformStream({
    transform(chunk, controller) {
      pass(chunk, controller);
    },
    flush(controller) {
      pass(undefined, controller);
      encoder.free();
    },
  });
}

/** What the encoder gives for more bytes, or for their end: undefined. */
function* compressedPieces(encoder: brotli.CompressStream, input: Uint8Array | undefined) {
  for (let rest = input; ; ) {
    const result = encoder.compress(rest, outputBytes);
    const { buf, code, input_offset: taken } = result;
    result.free();
    if (buf.length > 0) yield buf as Uint8Array<ArrayBuffer>;
    if (code !== brotli.BrotliStreamResultCode.NeedsMoreOutput) return;
    rest = rest?.subarray(taken);
  }
}
