import { configure, ZipWriter } from "@zip.js/zip.js/index-native.js";
import { olderFileHeader } from "../../../contract/api/headers.ts";
import { limits } from "../../../contract/api/limits.ts";
import { ContentHash, type HashFunctions, isSentInParts } from "../../../contract/folder/content-hash.ts";
import type { DownloadedFile } from "./protocol.ts";
import { Refusal } from "./refusal.ts";
import { spool } from "./spool.ts";

/*
 * A zip of a release's files, which the worker loads from the store. They stay as they are: the zip is made where it is kept, so that
 * compressing would cost time and save no transfer.
 */

configure({ useWebWorkers: false });

const filesAtOnce = 6;
/** Those that are loaded before their turn. */
const smallBytes = 1024 * 1024;
/** A zip of more has lengths of 64 bits. */
const zip64Bytes = 2 ** 31;

export class ReleaseZip {
  readonly #hashes: HashFunctions;
  readonly #zip: ZipWriter<unknown>;
  readonly #blob: Promise<Blob>;
  /** Paths of files that were cut in parts of an unknown length, from which their name is made. */
  readonly unchecked: string[] = [];

  /** @param bytes of all files together */
  constructor(hashes: HashFunctions, bytes: number) {
    this.#hashes = hashes;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    // With its headers it is larger than the files, and where it is kept depends on no exact number.
    this.#blob = spool(readable, bytes);
    this.#blob.catch(() => {});
    this.#zip = new ZipWriter(writable, { level: 0, zip64: bytes > zip64Bytes });
  }

  /**
   * Adds files in their order, some of which are loaded at once.
   *
   * @throws Refusal if the store gives other bytes or none
   */
  async add(files: readonly DownloadedFile[], onBytes: (bytes: number) => void): Promise<void> {
    const loading = new Map<DownloadedFile, Promise<Response>>();
    const begin = (file: DownloadedFile) => {
      const response = load(file);
      response.catch(() => {});
      loading.set(file, response);
    };
    let bytes = 0;
    for (const [index, file] of files.entries()) {
      for (const next of files.slice(index, index + filesAtOnce))
        if (!loading.has(next) && (next === file || next.size <= smallBytes)) begin(next);
      const response = (await loading.get(file)) as Response;
      const checked = this.#checked(file, response.body ?? new Blob().stream(), (piece) => {
        bytes += piece;
        onBytes(bytes);
      });
      await this.#zip.add(file.path, checked);
    }
  }

  /** All of it, once every file is added. */
  async close(): Promise<Blob> {
    await this.#zip.close();
    return await this.#blob;
  }

  /** The bytes, which fail at their end if they are not those that the release has. A file in parts of another length may only be as long. */
  #checked(
    { path, size, sha256 }: DownloadedFile,
    stream: ReadableStream<Uint8Array>,
    onBytes: (bytes: number) => void,
  ): ReadableStream<Uint8Array> {
    // The name of a file that was sent in parts depends on their length, which is one of these of all that svc publishes.
    const lengths = isSentInParts(size) ? [limits.bytesPerPart, limits.maxBytesPerPart] : [limits.bytesPerPart];
    const candidates = lengths.map((bytesPerPart) => new ContentHash(this.#hashes, size, bytesPerPart));
    let length = 0;
    return stream.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (piece, controller) => {
          for (const hash of candidates) hash.update(piece);
          length += piece.length;
          onBytes(piece.length);
          controller.enqueue(piece);
        },
        flush: () => {
          if (candidates.some((hash) => hash.digest() === sha256)) return;
          if (length !== size || !isSentInParts(size))
            throw new Refusal(`${path} is not what was published. Download the release again.`);
          this.unchecked.push(path);
        },
      }),
    );
  }
}

/** @throws Refusal if the store does not give it */
async function load({ path, url }: DownloadedFile): Promise<Response> {
  const response = await fetch(url, { headers: { [olderFileHeader]: "1" } }).catch(() => undefined);
  if (response === undefined) throw new Refusal("The store cannot be reached. Check your connection, then try again.");
  if (!response.ok)
    throw new Refusal(`${path} cannot be downloaded now: the store has trouble. Try again in a minute.`);
  return response;
}
