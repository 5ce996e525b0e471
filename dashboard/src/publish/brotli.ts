import { isWorthSending } from "../../../contract/api/releases/manifest-rules.ts";
import { variantQuality } from "../../../contract/folder/brotli-quality.ts";
import * as brotli from "../../../node_modules/brotli-wasm/pkg.web/brotli_wasm.js";
import { type FileHashes, hashed } from "./hash.ts";
import type { SourceFile } from "./source.ts";
import { spool } from "./spool.ts";

/*
 * Brotli variants, as `svc publish` makes them: players load these instead of the files. Browsers compress with gzip alone, so the
 * encoder is WebAssembly. The package exports only an entry that guesses where its module lies, which a bundle changes.
 */

const outputBytes = 256 * 1024;

// TypeScript takes the package, which says no "type", for CommonJS, whose default export would be the whole module.
const load = brotli.default as unknown as typeof brotli.default.default;

/** The compressed bytes of a file. */
export interface Variant {
  readonly source: SourceFile;
  readonly hashes: FileHashes;
}

/** @param encoder the encoder's module, or its URL */
export async function loadEncoder(encoder: brotli.InitInput): Promise<void> {
  await load(encoder);
}

/**
 * Compresses a file, after {@link loadEncoder}.
 *
 * @param onBytes called with how many more bytes of the file are compressed
 * @returns undefined if it saves too little
 * @throws Refusal if the file changed meanwhile
 */
export async function variantOf(file: SourceFile, onBytes: (bytes: number) => void): Promise<Variant | undefined> {
  const bytes = await spool(file.stream().pipeThrough(compression(variantQuality(file), onBytes)), file.size);
  if (!isWorthSending(bytes.size, file)) return undefined;
  const source = {
    path: `${file.path} (Brotli)`,
    size: bytes.size,
    stream: () => bytes.stream(),
    blob: async () => bytes,
  };
  return { source, hashes: await hashed(source, () => {}) };
}

/** Decompresses Brotli, after {@link loadEncoder}; fails at the first byte that is none, after the end too, and if the end is missing. */
export function decompression(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new brotli.DecompressStream();
  let isOver = false;
  return new TransformStream({
    transform(chunk, controller) {
      for (let rest = chunk; rest.length > 0; ) {
        if (isOver) throw new Error("There are bytes after the end");
        const result = decoder.decompress(rest, outputBytes);
        const { buf, code, input_offset: taken } = result;
        result.free();
        if (buf.length > 0) controller.enqueue(buf);
        isOver = code === brotli.BrotliStreamResultCode.ResultSuccess;
        if (code === brotli.BrotliStreamResultCode.NeedsMoreInput) return;
        rest = rest.subarray(taken);
      }
    },
    flush() {
      decoder.free();
      if (!isOver) throw new Error("The end is missing");
    },
  });
}

function compression(quality: number, onBytes: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  const encoder = new brotli.CompressStream(quality);
  const pass = (input: Uint8Array | undefined, controller: TransformStreamDefaultController<Uint8Array>) => {
    for (let rest = input; ; ) {
      const result = encoder.compress(rest, outputBytes);
      const { buf, code, input_offset: taken } = result;
      result.free();
      if (buf.length > 0) controller.enqueue(buf);
      if (code !== brotli.BrotliStreamResultCode.NeedsMoreOutput) return;
      rest = rest?.subarray(taken);
    }
  };
  return new TransformStream({
    transform(chunk, controller) {
      pass(chunk, controller);
      onBytes(chunk.length);
    },
    flush(controller) {
      pass(undefined, controller);
      encoder.free();
    },
  });
}
