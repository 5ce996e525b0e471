import * as fs from "node:fs";
import * as path from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import * as zlib from "node:zlib";
import { type Content, isWorthSending } from "../../../contract/api/releases/manifest-rules.ts";
import { variantQuality } from "../../../contract/folder/brotli-quality.ts";
import { Chunker, flushPoints, indexOf } from "../../../contract/folder/chunks.ts";
import { ContentHash, isSentInParts } from "../../../contract/folder/content-hash.ts";
import { nodeHashes } from "../../../contract/folder/node-hashes.ts";
import { renameFile } from "../rename-file.ts";
import { readFailure } from "./file-failure.ts";
import { folderChanged, type HashedFile, mayBeCompressed } from "./hash.ts";
import { type Progress, tallyOf } from "./progress.ts";
import type { Variant, VariantCache } from "./variant-cache.ts";

/*
 * Brotli variants: files are compressed once, before the upload, and browsers load the compressed bytes. zlib compresses in
 * Node's thread pool.
 */

/** The size of Node's thread pool. */
const parallelCompressions = 4;
/** The cache is written after each file of so many bytes: some tenths of a second of compressing. */
const keptAtOnceBytes = 4 * 1024 * 1024;

interface VariantOptions {
  readonly cache: VariantCache;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Brotli quality, 0 to 11, for all files; if undefined, decision 58 chooses. */
  readonly quality?: number;
}

/** Makes the variants of one publication, in a folder that `close` removes. */
export class VariantMaker {
  readonly #options: VariantOptions;
  readonly #known: Map<string, Variant>;
  #folder: string | undefined;

  constructor(options: VariantOptions) {
    this.#options = options;
    this.#known = new Map(options.cache.read());
  }

  /**
   * The variants that save enough, by the hash of the file. Compresses only files whose variant is not in the cache.
   *
   * @throws UserError if a file changed after it was hashed
   */
  async of(files: readonly HashedFile[]): Promise<Map<string, NonNullable<Variant>>> {
    const candidates = distinct(files.filter(mayBeCompressed));
    const unknown = candidates.filter(({ sha256 }) => !this.#known.has(sha256));
    try {
      await this.#compressAll(unknown);
    } finally {
      // Also of an interruption: the next run continues with what this one has compressed.
      if (unknown.length > 0) this.#options.cache.write(this.#knownOf(candidates));
    }
    return new Map(
      candidates.flatMap((file) => {
        const variant = this.#known.get(file.sha256);
        return variant ? [[file.sha256, variant] as const] : [];
      }),
    );
  }

  /**
   * The variants with these hashes, as files to upload. Makes those of which only the cache has the hash.
   *
   * @returns undefined if one has other bytes than the cache says, from another version of Brotli: `of` returns the new ones
   */
  async toUpload(files: readonly HashedFile[], wanted: ReadonlySet<string>): Promise<HashedFile[] | undefined> {
    const sources = distinct(files.filter(mayBeCompressed)).filter((file) => wanted.has(this.#hashOf(file)));
    const before = sources.map((file) => this.#hashOf(file));
    await this.#compressAll(sources.filter((file) => !this.#isThere(file)));
    if (sources.some((file, index) => this.#hashOf(file) !== before[index])) return undefined;
    return sources.flatMap((file) => {
      const variant = this.#known.get(file.sha256);
      if (!variant) return [];
      const { size, sha256 } = variant;
      const location = this.#locationOf(file);
      const { mtimeMs } = fs.statSync(location);
      const copy = { size, sha256, location, mtimeMs, parts: undefined, chunks: undefined };
      return [{ ...file, ...copy, path: `${file.path} (Brotli)` }];
    });
  }

  /** Writes bytes of this publication, to upload them. */
  write({
    path: name,
    size,
    sha256,
    bytes,
  }: Content & { readonly path: string; readonly bytes: Uint8Array }): HashedFile {
    const location = this.#locationOf({ sha256 });
    fs.writeFileSync(location, bytes);
    return { path: name, location, size, sha256, mtimeMs: fs.statSync(location).mtimeMs };
  }

  /** @param isContinued whether the same publication is going to be continued: what is compressed stays for it */
  close({ isContinued = false } = {}): void {
    if (this.#folder !== undefined && !isContinued) fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  #knownOf(files: readonly HashedFile[]): [string, Variant][] {
    return files.flatMap(({ sha256 }) => {
      const variant = this.#known.get(sha256);
      return variant === undefined ? [] : [[sha256, variant]];
    });
  }

  #isThere(file: HashedFile): boolean {
    const found = fs.statSync(this.#locationOf(file), { throwIfNoEntry: false });
    return found !== undefined && found.size === this.#known.get(file.sha256)?.size;
  }

  #hashOf({ sha256 }: HashedFile): string {
    return this.#known.get(sha256)?.sha256 ?? "";
  }

  #locationOf({ sha256 }: Pick<HashedFile, "sha256">): string {
    this.#folder ??= this.#options.cache.makeFolder();
    return path.join(this.#folder, sha256);
  }

  async #compressAll(files: readonly HashedFile[]): Promise<void> {
    if (files.length === 0) return;
    const { cache, progress, signal } = this.#options;
    // The largest first: the last one should not be long.
    const queue = files.toSorted((a, b) => b.size - a.size).values();
    progress.start("Compressing", tallyOf(files));
    const work = async () => {
      for (const file of queue) {
        signal.throwIfAborted();
        const variant = await this.#compress(file);
        this.#known.set(file.sha256, isWorthSending(variant.size, file) ? variant : null);
        // Also a process that is killed has not compressed it for nothing.
        if (file.size >= keptAtOnceBytes) cache.write([...this.#known]);
        progress.add({ files: 1, bytes: 0 });
      }
    };
    try {
      await Promise.all(Array.from({ length: parallelCompressions }, work));
    } finally {
      progress.end();
    }
  }

  async #compress(file: HashedFile): Promise<NonNullable<Variant>> {
    const { progress, signal, quality = variantQuality(file) } = this.#options;
    const source = meter((bytes) => progress.add({ files: 0, bytes }));
    const chunker = file.chunks && new Chunker();
    const target = meter((_, chunk) => chunker?.update(chunk));
    const brotli = zlib.createBrotliCompress({
      params: {
        [zlib.constants.BROTLI_PARAM_QUALITY]: quality,
        [zlib.constants.BROTLI_PARAM_SIZE_HINT]: Math.min(file.size, 2 ** 30),
      },
    });
    const chunk = { highWaterMark: 256 * 1024 };
    const location = this.#locationOf(file);
    const [from, to] = [fs.createReadStream(file.location, chunk), fs.createWriteStream(`${location}.part`)];
    try {
      const points = file.chunks ? flushPoints(file.chunks) : [];
      const flushed = (chunks: AsyncIterable<Buffer>) => flushedAt(points, chunks, brotli);
      await pipeline(from, source.stream, flushed, brotli, target.stream, to, { signal });
    } catch (error) {
      // The pipeline would throw an AbortError instead of the reason.
      signal.throwIfAborted();
      throw (error as NodeJS.ErrnoException).path === file.location ? readFailure(error, file) : error;
    }
    if (source.result().sha256 !== file.sha256) throw folderChanged([file.path]);
    renameFile(`${location}.part`, location);
    const made = target.result();
    const isIndexed = chunker !== undefined && isSentInParts(made.size);
    return { ...made, ...(isIndexed && { index: Buffer.from(indexOf(chunker.chunks())).toString("base64") }) };
  }
}

/** Passes bytes on, and has the compressor write what it has at each of these offsets. */
async function* flushedAt(points: readonly number[], chunks: AsyncIterable<Buffer>, brotli: zlib.BrotliCompress) {
  const rest = points.values();
  let [point, offset] = [rest.next().value, 0];
  for await (const chunk of chunks) {
    let from = 0;
    while (point !== undefined && point <= offset + chunk.length) {
      yield chunk.subarray(from, point - offset);
      brotli.flush(zlib.constants.BROTLI_OPERATION_FLUSH);
      [from, point] = [point - offset, rest.next().value];
    }
    if (from < chunk.length) yield chunk.subarray(from);
    offset += chunk.length;
  }
}

function distinct(files: readonly HashedFile[]): HashedFile[] {
  return [...new Map(files.map((file) => [file.sha256, file])).values()];
}

/** A stream that passes bytes on and computes their length and SHA-256. */
function meter(onBytes: (bytes: number, chunk: Buffer) => void) {
  const hash = new ContentHash(nodeHashes);
  let size = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      onBytes(chunk.length, chunk);
      done(null, chunk);
    },
  });
  return { stream, result: (): Content => ({ size, sha256: hash.digest() }) };
}
