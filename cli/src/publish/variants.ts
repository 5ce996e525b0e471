import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import * as zlib from "node:zlib";
import { isCompressedType, storedEncodingOf } from "../../../contract/content-types.ts";
import { type Content, isWorthSending } from "../../../contract/manifest-rules.ts";
import { UserError } from "../errors.ts";
import type { HashedFile } from "./hash.ts";
import { type Progress, tallyOf } from "./progress.ts";
import type { Variant, VariantCache } from "./variant-cache.ts";

/*
 * Brotli variants: the same bytes compressed once, here, so that browsers load a tenth to a third of them. They are made
 * on the threads that zlib has.
 */

/** Below this a response's headers are most of what is sent. */
const smallestBytes = 1_024;
/** As many as Node has threads for them. */
const sideBySide = 4;
/** Of 0 to 11. More saves a few percent and takes several times as long; a release is published while somebody waits. */
const usualQuality = 5;
/**
 * An engine's code is what players load most of, and it is rarely another: here those few percent are worth some seconds,
 * 8 for 38 MB. What is larger than any engine stays with the usual quality (decision 32).
 */
const engineQuality = 9;
const largestEngineBytes = 64 * 1024 * 1024;

/** Makes the variants of one publication, and keeps their bytes until it is over. */
export class VariantMaker {
  readonly #options: { readonly cache: VariantCache; readonly progress: Progress; readonly signal: AbortSignal };
  readonly #known: Map<string, Variant>;
  #folder: string | undefined;

  constructor(options: { cache: VariantCache; progress: Progress; signal: AbortSignal }) {
    this.#options = options;
    this.#known = new Map(options.cache.read());
  }

  /**
   * The variants that are worth sending, by the hash of the file. Only what no earlier publication compressed is read.
   *
   * @throws UserError where a file changed since it was hashed
   */
  async of(files: readonly HashedFile[]): Promise<Map<string, Content>> {
    const candidates = distinct(files.filter(isCandidate));
    const unknown = candidates.filter(({ sha256 }) => !this.#known.has(sha256));
    await this.#compressAll(unknown);
    if (unknown.length > 0)
      this.#options.cache.write(candidates.map(({ sha256 }) => [sha256, this.#known.get(sha256) ?? null]));
    return new Map(
      candidates.flatMap((file) => {
        const variant = this.#known.get(file.sha256);
        return variant ? [[file.sha256, variant] as const] : [];
      }),
    );
  }

  /**
   * The variants with these hashes as files to upload; what only the cache knew of is made now.
   *
   * @returns undefined where one came out otherwise than remembered, by another version of Brotli: `of` has the new ones
   */
  async toUpload(files: readonly HashedFile[], wanted: ReadonlySet<string>): Promise<HashedFile[] | undefined> {
    const sources = distinct(files.filter(isCandidate)).filter((file) => wanted.has(this.#hashOf(file)));
    const before = sources.map((file) => this.#hashOf(file));
    await this.#compressAll(sources.filter((file) => !fs.existsSync(this.#locationOf(file))));
    if (sources.some((file, index) => this.#hashOf(file) !== before[index])) return undefined;
    return sources.flatMap((file) => {
      const variant = this.#known.get(file.sha256);
      return variant ? [{ ...file, ...variant, path: `${file.path} (Brotli)`, location: this.#locationOf(file) }] : [];
    });
  }

  /** Removes the bytes. */
  close(): void {
    if (this.#folder !== undefined) fs.rmSync(this.#folder, { recursive: true, force: true });
  }

  #hashOf({ sha256 }: HashedFile): string {
    return this.#known.get(sha256)?.sha256 ?? "";
  }

  #locationOf({ sha256 }: HashedFile): string {
    this.#folder ??= fs.mkdtempSync(path.join(os.tmpdir(), "svc-variants-"));
    return path.join(this.#folder, sha256);
  }

  async #compressAll(files: readonly HashedFile[]): Promise<void> {
    if (files.length === 0) return;
    const { progress, signal } = this.#options;
    // The largest first, so that none of them is what all others wait for at the end.
    const queue = files.toSorted((a, b) => b.size - a.size).values();
    progress.start("Compressing", tallyOf(files));
    const work = async () => {
      for (const file of queue) {
        signal.throwIfAborted();
        const variant = await this.#compress(file);
        this.#known.set(file.sha256, isWorthSending(variant.size, file) ? variant : null);
        progress.add({ files: 1, bytes: 0 });
      }
    };
    try {
      await Promise.all(Array.from({ length: sideBySide }, work));
    } finally {
      progress.end();
    }
  }

  async #compress(file: HashedFile): Promise<Content> {
    const { progress, signal } = this.#options;
    const source = meter((bytes) => progress.add({ files: 0, bytes }));
    const target = meter(() => undefined);
    const brotli = zlib.createBrotliCompress({
      params: {
        [zlib.constants.BROTLI_PARAM_QUALITY]: qualityFor(file),
        [zlib.constants.BROTLI_PARAM_SIZE_HINT]: Math.min(file.size, 2 ** 30),
      },
    });
    const chunk = { highWaterMark: 256 * 1024 };
    const [from, to] = [fs.createReadStream(file.location, chunk), fs.createWriteStream(this.#locationOf(file))];
    await pipeline(from, source.stream, brotli, target.stream, to, { signal });
    if (source.result().sha256 !== file.sha256)
      throw new UserError("The folder changes while it is published; nothing was sent.", {
        code: "folder_changes",
        places: [`${file.path}: changed while it was read`],
        next: "Wait until the build is done, then publish again.",
      });
    return target.result();
  }
}

/** Whether a file may have a variant: it is not compressed already, and not too small. */
export function isCandidate({ path: name, size }: HashedFile): boolean {
  return size >= smallestBytes && !isCompressedType(name) && storedEncodingOf(name) === undefined;
}

function qualityFor({ path: name, size }: HashedFile): number {
  return /\.wasm$/i.test(name) && size <= largestEngineBytes ? engineQuality : usualQuality;
}

function distinct(files: readonly HashedFile[]): HashedFile[] {
  return [...new Map(files.map((file) => [file.sha256, file])).values()];
}

/** Passes bytes on, and tells their length and SHA-256 at the end. */
function meter(onBytes: (bytes: number) => void) {
  const hash = createHash("sha256");
  let size = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      onBytes(chunk.length);
      done(null, chunk);
    },
  });
  return { stream, result: (): Content => ({ size, sha256: hash.digest("hex") }) };
}
