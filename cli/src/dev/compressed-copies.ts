import { rm } from "node:fs/promises";
import { CopyMaker, mayBeCompressed } from "../../../publisher/copies.ts";
import { silent } from "../../../publisher/progress.ts";
import { openCopyFolder } from "../publish/copy-folder.ts";
import type { HashedFile, LocalFile } from "../publish/local-file.ts";
import { nodePlatform } from "../publish/node-platform.ts";
import type { Snapshot } from "./snapshot.ts";

/** A quarter of the time of quality 5. The copies are some percent larger than those that `svc publish` makes. */
const quality = 3;

/**
 * Brotli copies of files, as releases have them. Each is made when its file is first requested, so that nobody waits for the
 * copies of a whole game.
 */
export class CompressedCopies {
  readonly #folder = openCopyFolder(undefined, process.env);
  readonly #maker: CopyMaker<LocalFile>;
  /** Copies by the hash of the file; null: a copy would save too little. */
  readonly #made = new Map<string, HashedFile | null>();
  readonly #making = new Map<string, Promise<void>>();

  constructor(signal: AbortSignal) {
    this.#maker = new CopyMaker({ platform: nodePlatform, store: this.#folder, progress: silent, signal, quality });
  }

  /** The copy of a file; undefined if it has none, or none yet. */
  find({ sha256 }: HashedFile): HashedFile | undefined {
    return this.#made.get(sha256) ?? undefined;
  }

  isUnknown(file: HashedFile): boolean {
    return mayBeCompressed(file) && !this.#made.has(file.sha256);
  }

  /** @throws Refused if the file has changed since it was hashed */
  async make(file: HashedFile): Promise<void> {
    const { sha256 } = file;
    const making = this.#making.get(sha256) ?? this.#make(file).finally(() => this.#making.delete(sha256));
    this.#making.set(sha256, making);
    await making;
  }

  async #make(file: HashedFile): Promise<void> {
    const made = (await this.#maker.of([file])).get(file.sha256);
    const [copy = null] = made ? ((await this.#maker.toUpload([file], new Set([made.sha256]))) ?? []) : [];
    this.#made.set(file.sha256, copy);
  }

  /** Removes the copies of files that are there no more. */
  async keepOnly({ files }: Snapshot): Promise<void> {
    const hashes = new Set([...files.values()].map(({ sha256 }) => sha256));
    const gone = [...this.#made].filter(([sha256]) => !hashes.has(sha256));
    for (const [sha256] of gone) this.#made.delete(sha256);
    await Promise.all(gone.map(([, copy]) => copy && rm(copy.location, { force: true })));
  }

  close(): void {
    this.#folder.close();
  }
}
