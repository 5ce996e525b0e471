import type { HashFunctions } from "../contract/folder/content-hash.ts";
import type { SourceFile } from "./source.ts";

/** What differs between Node and browsers when a release is prepared. publisher/prepare.test.ts is for both. */
export interface Platform {
  readonly hashes: HashFunctions;
  readonly brotli: Brotli;
}

export interface Brotli {
  /** Files that are compressed at once. */
  readonly atOnce: number;
  /** The bytes in Brotli. */
  compressed(bytes: ReadableStream<Uint8Array>, options: BrotliOptions): Promise<ReadableStream<Uint8Array>>;
  /** What a file unpacks to. Fails at the first byte that is no Brotli, after its end too, and if the end is missing. */
  unpacked(file: SourceFile): Promise<ReadableStream<Uint8Array>>;
}

export interface BrotliOptions {
  /** 0 to 11. */
  readonly quality: number;
  /** Length of the bytes. */
  readonly size: number;
  /** Offsets at which what was compressed is written, so that what follows is the same bytes after a change before it. */
  readonly flushPoints: readonly number[];
}
