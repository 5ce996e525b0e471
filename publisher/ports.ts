import type { Content } from "../contract/api/releases/manifest-rules.ts";
import type { PutResponse } from "../contract/api/releases/store-response.ts";
import type { HashFunctions } from "../contract/folder/content-hash.ts";
import type { SourceFile } from "./source.ts";

/* What prepares and sends files in Node and in browsers: each has one implementation, and one suite of tests is for both. */

/** Bytes to upload, with what a person calls them. */
export interface UploadContent extends Content {
  readonly path: string;
}

/** Bytes of a file, from `start` on. */
export interface Range {
  readonly start: number;
  readonly size: number;
}

/** A presigned URL, and the headers to send. */
export interface UploadTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends a range of a file with one PUT, and does not retry.
 *
 * @param onSent called with how many bytes of the range are sent by now
 * @throws NetworkError if no response came; a failure of the system if the file cannot be read
 */
export type Put = (range: Range, target: UploadTarget, onSent: (bytes: number) => void) => Promise<PutResponse>;

/** Sends files to the store. The signal with which it is opened ends its requests. */
export interface Sender<File extends UploadContent> {
  /** Files, and parts of one file, that are sent in parallel. */
  readonly filesAtOnce: number;
  readonly partsAtOnce: number;
  /** URLs are valid for an hour: a slow sender requests fewer at a time. */
  readonly urlsPerCall: number;
  open(file: File): Put;
  /** The bytes of a small file, to be sent with others. Fails as the file's `Put`. */
  read(file: File): Promise<Uint8Array<ArrayBuffer>>;
  /** Sends bytes that are in memory. */
  openBytes(bytes: Uint8Array<ArrayBuffer>): Put;
  /** The SHA-256 of each part of a file that is sent in parts. */
  partsOf(file: File): Promise<readonly string[]>;
  /**
   * Whether the system may give the file soon, because another program has it (`file`) or because this process has too many files open
   * (`process`); undefined for every other failure.
   */
  busy?(failure: unknown): "file" | "process" | undefined;
  /** The failure of the last try in the client's words. */
  explain(failure: unknown, file: File): unknown;
  close(): void;
}

/** What differs between Node and browsers when a release is prepared. publisher/prepare.test.ts is for both. */
export interface Platform {
  readonly hashes: HashFunctions;
  readonly brotli: Brotli;
}

export interface Brotli {
  /** Files that are compressed at once: large ones, and small ones (`limits.packedFileBytes`). */
  readonly atOnce: number;
  readonly smallAtOnce: number;
  /** The bytes in Brotli. */
  compressed(bytes: ReadableStream<Uint8Array>, options: BrotliOptions): Promise<ReadableStream<Uint8Array>>;
  /** The same of a small file, as whole: a stream costs many times what compressing so few bytes does. */
  compressedWhole(bytes: Uint8Array<ArrayBuffer>, quality: number): Promise<Uint8Array<ArrayBuffer>>;
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
