import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { type Delta, isDeltaWorthSending, seenBytesOf } from "../../../contract/api/releases/manifest-rules.ts";
import { nameOfContent } from "../../../contract/folder/content-hash.ts";
import { nodeHashes } from "../../../contract/folder/node-hashes.ts";
import type { DeltaMaker, DeltaSource, OlderFile } from "../../../publisher/deltas.ts";
import { type Progress, tallyOf } from "../../../publisher/progress.ts";
import { Refused } from "../../../publisher/refused.ts";
import { temporaryFolder } from "./copy-folder.ts";
import { type HashedFile, type LocalFile, localFile } from "./local-file.ts";
import { downloadOlderFile, type OlderFileOptions } from "./older-file.ts";

/*
 * Deltas (docs/decisions/0073-deltas.md): what browsers load that have an older file. A file and the older one are in memory whole, one
 * pair at a time; zlib compresses in Node's thread pool. Of files that are stored in Brotli, both are unpacked: browsers have those bytes.
 */

const mebibyte = 1024 * 1024;
/** The largest window that RFC 9842 (section 3.2) permits, from which the older file must be in reach. */
const maxWindow = 128 * mebibyte;
const minWindow = 8 * mebibyte;
/** Chromium keeps no larger dictionary (services/network/shared_dictionary/shared_dictionary_constants.cc), and no other browser has any. */
const maxDictionary = 100 * mebibyte;
const windowPerDictionary = 1.25;

/** Bytes of the files of one publication that get deltas: about a minute on a laptop. The live release comes first, and its largest files. */
const maxBytes = 256 * mebibyte;

/** Bytes before the Zstandard frame, which the dictionary's SHA-256 follows (RFC 9842, section 5). */
const magic = Buffer.from("5e2a4d1820000000", "hex");

export interface DeltaOptions extends OlderFileOptions {
  readonly progress: Progress;
}

type Source = DeltaSource<LocalFile>;

/** Makes the deltas of one publication, in a folder that `close` removes. */
export class ZstandardDeltas implements DeltaMaker<LocalFile> {
  readonly #options: DeltaOptions;
  /** By the bytes of the file and the hash of the older one; undefined: none is worth sending. */
  readonly #made = new Map<string, MadeDelta | undefined>();
  #folder: string | undefined;

  constructor(options: DeltaOptions) {
    this.#options = options;
  }

  canMake({ size }: Pick<HashedFile, "size">): boolean {
    return typeof zlib.zstdCompress === "function" && size <= maxWindow;
  }

  /** Whether browsers keep an older file of so many bytes to load a newer one by a delta. */
  canUse({ size }: Pick<OlderFile, "size">): boolean {
    return size <= maxDictionary;
  }

  /** If an older file cannot be had there is none: players then load the file. */
  async of(sources: readonly Source[]): Promise<Map<string, readonly Delta[]>> {
    const { progress, signal } = this.#options;
    const possible = sources.filter(({ file, older }) => this.canMake(file) && this.canUse(older));
    const chosen = withinBytes(possible.toSorted((a, b) => rank(a) - rank(b) || b.file.size - a.file.size));
    progress.start("Comparing", tallyOf(chosen.map(({ file }) => file)));
    try {
      for (const source of chosen) {
        signal.throwIfAborted();
        const pair = `${seenBytesIn(source)} ${source.older.sha256}`;
        if (!this.#made.has(pair)) this.#made.set(pair, await this.#make(source));
        progress.add({ files: 1, bytes: source.file.size });
      }
    } finally {
      progress.end();
    }
    const made = [...this.#made.values()].filter((each) => each !== undefined).toSorted((a, b) => a.size - b.size);
    return Map.groupBy(made, ({ bytes }) => bytes);
  }

  toUpload(wanted: ReadonlySet<string>): HashedFile[] {
    return [...this.#made.values()].flatMap((made) => {
      if (made === undefined || !wanted.has(made.sha256)) return [];
      return [{ ...localFile(`${made.file.path} (delta)`, made.location), sha256: made.sha256 }];
    });
  }

  close(): void {
    if (this.#folder !== undefined) fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  async #make(source: Source): Promise<MadeDelta | undefined> {
    const { file, br, older } = source;
    const { signal } = this.#options;
    if (!hasMemoryFor(file, older)) return undefined;
    const olderFile = await downloadOlderFile(older, this.#options);
    if (olderFile === undefined) return undefined;
    const stored = await fs.promises.readFile(file.location, { signal });
    if (nameOfContent(stored, nodeHashes) !== file.sha256)
      throw new Refused({ code: "folder_changes" }, { places: [`${file.path}: changed while it was read`] });
    const isPacked = isUnpackedByBrowsers(source);
    const olderBytes = isPacked ? await unpackedBrotli(olderFile, maxDictionary) : olderFile;
    const bytes = isPacked ? await unpackedBrotli(stored, maxWindow) : stored;
    if (olderBytes === undefined || bytes === undefined) return undefined;
    if (isPacked && !hasMemoryFor({ size: bytes.length }, { size: olderBytes.length })) return undefined;
    const delta = await deltaOf(bytes, olderBytes);
    if (delta === undefined || !isDeltaWorthSending(delta.length, { size: file.size, br })) return undefined;
    const sha256 = nameOfContent(delta, nodeHashes);
    this.#folder ??= temporaryFolder();
    const location = path.join(this.#folder, sha256);
    await fs.promises.writeFile(location, delta);
    const dictionary = createHash("sha256").update(olderBytes).digest("hex");
    return { dictionary, size: delta.length, sha256, file, bytes: seenBytesIn(source), location };
  }
}

interface MadeDelta extends Delta {
  readonly file: HashedFile;
  /** `seenBytesOf` the file. */
  readonly bytes: string;
  readonly location: string;
}

function seenBytesIn({ file, encoding }: Source): string {
  return seenBytesOf({ ...file, encoding });
}

function isUnpackedByBrowsers(source: Source): boolean {
  return seenBytesIn(source) !== source.file.sha256;
}

/** Node's types leave out what `info` adds to the result. */
const decompress = promisify(zlib.brotliDecompress) as (bytes: Buffer, options: zlib.BrotliOptions) => Promise<unknown>;

/** @returns undefined if it is no Brotli, has bytes behind its end, which browsers may read in different ways, or is longer than `maxOutputBytes` */
async function unpackedBrotli(bytes: Buffer, maxOutputBytes: number): Promise<Buffer | undefined> {
  try {
    const result = await decompress(bytes, { info: true, maxOutputLength: maxOutputBytes });
    const { buffer, engine } = result as { buffer: Buffer; engine: zlib.BrotliDecompress };
    return engine.bytesWritten === bytes.length ? buffer : undefined;
  } catch {
    // No memory for it, for example.
    return undefined;
  }
}

function rank({ older }: Source): number {
  return older.is_live ? 0 : 1;
}

/** What Brotli makes of a file of an engine is about a quarter of it. */
const unpackedPerByte = 4;

function withinBytes(sources: readonly Source[]): Source[] {
  let left = maxBytes;
  return sources.filter((source) => {
    const bytes = source.file.size * (isUnpackedByBrowsers(source) ? unpackedPerByte : 1);
    const fits = bytes <= left;
    if (fits) left -= bytes;
    return fits;
  });
}

/**
 * The bytes in the form `dcz` for who has the older ones.
 *
 * @returns undefined if they cannot be read back: then nobody should get them
 */
export async function deltaOf(bytes: Buffer, dictionary: Buffer): Promise<Buffer | undefined> {
  try {
    const params = parametersFor(bytes, dictionary);
    // Without its length the frame would not be a single segment.
    const frame = await promisify(zlib.zstdCompress)(bytes, { dictionary, params, pledgedSrcSize: bytes.length });
    const readBack = await promisify(zlib.zstdDecompress)(frame, { dictionary, maxOutputLength: bytes.length + 1 });
    if (!readBack.equals(bytes)) return undefined;
    return Buffer.concat([magic, createHash("sha256").update(dictionary).digest(), frame]);
  } catch {
    // No memory for it, for example.
    return undefined;
  }
}

/**
 * The window is as large as the file, if browsers permit it, because the older file is out of reach behind it. Each position of the older
 * file needs a place in the table: with the tables of this level, matches were found in a fifth of 20 MB.
 */
function parametersFor(bytes: Buffer, dictionary: Buffer): Record<number, number> {
  const windowBytes = Math.min(maxWindow, Math.max(minWindow, dictionary.length * windowPerDictionary));
  const wanted = Math.max(10, Math.ceil(Math.log2(bytes.length)));
  const { constants } = zlib;
  return {
    [constants.ZSTD_c_compressionLevel]: 5,
    // A file within its window is a single segment, whose window is the file and not the next power of two.
    [constants.ZSTD_c_windowLog]: bytes.length <= windowBytes ? wanted : Math.floor(Math.log2(windowBytes)),
    [constants.ZSTD_c_hashLog]: tableLog(Math.max(bytes.length, dictionary.length)),
    [constants.ZSTD_c_chainLog]: tableLog(Math.max(bytes.length, dictionary.length)),
  };
}

/** Largest logarithm of the number of places: more found nothing else in 128 MiB, and take half a gigabyte. */
const maxTableLog = 26;

function tableLog(bytes: number): number {
  return Math.min(maxTableLog, Math.max(10, Math.ceil(Math.log2(bytes))));
}

function hasMemoryFor(file: Pick<HashedFile, "size">, older: Pick<OlderFile, "size">): boolean {
  return neededMemory(Math.max(file.size, older.size)) <= process.availableMemory();
}

/** Measured with files of 1 to 128 MiB: the files, their copies in zlib, and two tables. */
function neededMemory(bytes: number): number {
  return 6 * bytes + 10 * 2 ** tableLog(bytes);
}
