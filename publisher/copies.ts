import { limits } from "../contract/api/limits.ts";
import { type Content, isWorthSending, mayHaveVariant } from "../contract/api/releases/manifest-rules.ts";
import { variantQuality } from "../contract/folder/brotli-quality.ts";
import { Chunker, type Chunks, flushPoints } from "../contract/folder/chunks.ts";
import { ContentHash, isSentInParts, nameOfContent } from "../contract/folder/content-hash.ts";
import type { FileFacts } from "./facts.ts";
import type { Platform } from "./ports.ts";
import { type Progress, tallyOf } from "./progress.ts";
import { Refused } from "./refused.ts";
import { ChangedFile, type SourceFile, wholeOf } from "./source.ts";

/* Brotli copies: files are compressed once, before the upload, and browsers load the compressed bytes. */

/** A Brotli copy; of one that is sent in parts the chunks, and the hashes of the parts if it was made here. */
export interface CopyFacts extends Content {
  readonly parts?: readonly string[];
  readonly chunks?: Chunks;
}

/** Copies by the hash of their file; null: it would save too little. */
export type KnownCopies = Map<string, CopyFacts | null>;

/** Where copies are kept, by the hash of their file. */
export interface CopyStore<File extends SourceFile> {
  /** Those of an earlier publication, of which the bytes may be gone. */
  read(): KnownCopies;
  write(copies: KnownCopies): void;
  /** The bytes of a copy, if they are here. */
  find(sha256: string, size: number): File | undefined;
  /** @param size of the file */
  keep(sha256: string, bytes: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer>, size: number): Promise<File>;
}

/** A file that is published, as far as its copy needs it. */
export type Compressible<File extends SourceFile> = File &
  Pick<FileFacts, "sha256" | "chunks"> & { readonly isUncompressed?: boolean };

/** Whether a Brotli copy of a file is made if that saves enough. */
export function mayBeCompressed(file: Pick<Compressible<SourceFile>, "path" | "size" | "isUncompressed">): boolean {
  return !file.isUncompressed && mayHaveVariant(file);
}

interface CopyOptions<File extends SourceFile> {
  readonly platform: Platform;
  readonly store: CopyStore<File>;
  readonly progress: Progress;
  readonly signal?: AbortSignal | undefined;
  /** Brotli quality, 0 to 11, for all files; if undefined, decision 58 chooses. */
  readonly quality?: number;
}

/** What is known is written after each file of so many bytes: some tenths of a second of compressing. */
const writtenAtOnceBytes = 4 * 1024 * 1024;

/** Makes the copies of one publication. */
export class CopyMaker<File extends SourceFile> {
  readonly #options: CopyOptions<File>;
  readonly #copies: KnownCopies;

  constructor(options: CopyOptions<File>) {
    this.#options = options;
    this.#copies = options.store.read();
  }

  /**
   * The copies that save enough, by the hash of the file. Compresses only files whose copy is not known.
   *
   * @throws Refused if a file changed after it was hashed
   */
  async of(files: readonly Compressible<File>[]): Promise<Map<string, CopyFacts>> {
    const candidates = distinct(files.filter(mayBeCompressed));
    const unknown = candidates.filter(({ sha256 }) => !this.#copies.has(sha256));
    try {
      await this.#makeAll(unknown);
    } finally {
      // Also of an interruption: the next run continues with what this one has compressed.
      const wanted = new Set(candidates.map(({ sha256 }) => sha256));
      if (unknown.length > 0) this.#options.store.write(new Map([...this.#copies].filter(([of]) => wanted.has(of))));
    }
    return new Map(
      candidates.flatMap(({ sha256 }) => {
        const copy = this.#copies.get(sha256);
        return copy ? [[sha256, copy] as const] : [];
      }),
    );
  }

  /**
   * The copies with these hashes, with their bytes. Makes those of which only the facts are known.
   *
   * @returns undefined if one has other bytes than were known, from another version of Brotli: `of` returns the new ones
   */
  async toUpload(
    files: readonly Compressible<File>[],
    wanted: ReadonlySet<string>,
  ): Promise<(File & CopyFacts)[] | undefined> {
    const sources = distinct(files.filter(mayBeCompressed)).filter((file) => wanted.has(this.#hashOf(file)));
    const hashes = sources.map((file) => this.#hashOf(file));
    await this.#makeAll(sources.filter((file) => this.#bytesOf(file) === undefined));
    if (sources.some((file, index) => this.#hashOf(file) !== hashes[index])) return undefined;
    return sources.flatMap((file) => {
      const [copy, bytes] = [this.#copies.get(file.sha256), this.#bytesOf(file)];
      return copy && bytes ? [{ ...bytes, ...copy, path: `${file.path} (Brotli)` }] : [];
    });
  }

  #bytesOf({ sha256 }: Compressible<File>): File | undefined {
    const copy = this.#copies.get(sha256);
    return copy ? this.#options.store.find(sha256, copy.size) : undefined;
  }

  #hashOf({ sha256 }: Compressible<File>): string {
    return this.#copies.get(sha256)?.sha256 ?? "";
  }

  async #makeAll(files: readonly Compressible<File>[]): Promise<void> {
    if (files.length === 0) return;
    const { platform, store, progress, signal } = this.#options;
    progress.start("Compressing", tallyOf(files));
    const failures: unknown[] = [];
    const work = async (queue: Iterable<Compressible<File>>) => {
      for (const file of queue) {
        if (failures.length > 0) return;
        signal?.throwIfAborted();
        const copy = await this.#make(file);
        this.#copies.set(file.sha256, isWorthSending(copy.size, file) ? copy : null);
        // Also a process that is killed has not compressed it for nothing.
        if (file.size >= writtenAtOnceBytes) store.write(this.#copies);
        progress.add({ files: 1, bytes: 0 });
      }
    };
    const fail = (failure: unknown) => void failures.push(failure);
    // Nothing is written any more when this fails.
    const makeEach = async (some: readonly Compressible<File>[], atOnce: number) => {
      // The largest first: the last one should not be long.
      const queue = some.toSorted((a, b) => b.size - a.size).values();
      await Promise.all(Array.from({ length: atOnce }, () => work(queue).catch(fail)));
    };
    await makeEach(files.filter(isLarge), platform.brotli.atOnce);
    await makeEach(
      files.filter((file) => !isLarge(file)),
      platform.brotli.smallAtOnce,
    );
    progress.end();
    if (failures.length > 0) throw failures[0];
  }

  async #make(file: Compressible<File>): Promise<CopyFacts> {
    return isLarge(file) ? await this.#makeStreamed(file) : await this.#makeWhole(file);
  }

  /** Of a small file: games have thousands of them. */
  async #makeWhole(file: Compressible<File>): Promise<CopyFacts> {
    const { platform, store, progress, signal, quality = variantQuality(file) } = this.#options;
    const bytes = await wholeOf(file).catch((failure: unknown) => {
      throw failure instanceof ChangedFile ? changed(file) : failure;
    });
    signal?.throwIfAborted();
    if (nameOfContent(bytes, platform.hashes) !== file.sha256) throw changed(file);
    progress.add({ files: 0, bytes: bytes.length });
    const copy = await platform.brotli.compressedWhole(bytes, quality);
    signal?.throwIfAborted();
    if (isWorthSending(copy.length, file)) await store.keep(file.sha256, copy, file.size);
    return { size: copy.length, sha256: nameOfContent(copy, platform.hashes) };
  }

  async #makeStreamed(file: Compressible<File>): Promise<CopyFacts> {
    const { platform, store, progress, signal, quality = variantQuality(file) } = this.#options;
    const { hashes, brotli } = platform;
    const source = new ContentHash(hashes, file.size);
    // Of a file that is not sent in parts, the copy is not either.
    const hash = new ContentHash(hashes, file.chunks ? undefined : 0);
    const chunker = file.chunks && new Chunker();
    let size = 0;
    const read = file.stream().pipeThrough(
      tap((piece) => {
        signal?.throwIfAborted();
        source.update(piece);
        progress.add({ files: 0, bytes: piece.length });
      }),
    );
    const written = tap((piece) => {
      hash.update(piece);
      chunker?.update(piece);
      size += piece.length;
    });
    const points = file.chunks ? flushPoints(file.chunks) : [];
    const compressed = await brotli.compressed(read, { quality, size: file.size, flushPoints: points });
    try {
      await store.keep(file.sha256, compressed.pipeThrough(written), file.size);
    } catch (failure) {
      signal?.throwIfAborted();
      throw failure instanceof ChangedFile ? changed(file) : failure;
    }
    signal?.throwIfAborted();
    if (source.digest() !== file.sha256) throw changed(file);
    const isIndexed = chunker !== undefined && isSentInParts(size);
    return { size, sha256: hash.digest(), ...(isIndexed && { parts: hash.parts(), chunks: chunker.chunks() }) };
  }
}

function isLarge({ size }: SourceFile): boolean {
  return size > limits.packedFileBytes;
}

function changed({ path }: SourceFile): Refused {
  return new Refused({ code: "folder_changes" }, { places: [`${path}: changed while it was read`] });
}

function distinct<File extends { readonly sha256: string }>(files: readonly File[]): File[] {
  return [...new Map(files.map((file) => [file.sha256, file])).values()];
}

/** Passes bytes on, and shows them. */
function tap(show: (piece: Uint8Array) => void): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(piece, controller) {
      show(piece);
      controller.enqueue(piece);
    },
  });
}
