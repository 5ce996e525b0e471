import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import type { ManifestFile } from "../../contract/manifest-rules.ts";
import { manifestKey } from "./object-keys.ts";
import { readObject, writeObject } from "./store.ts";

/** What a manifest says of one path. */
export type FileContent = Pick<ManifestFile, "size" | "sha256">;

/**
 * The files of a release as text, one `path TAB size TAB sha256` a line in the order of the paths: paths hold no control
 * character, so a file is found without taking 20,000 lines apart. Two manifests of the same files are the same bytes.
 */
export class Manifest {
  /** A line feed, and a line feed after every line. */
  readonly #text: Buffer;

  private constructor(text: Buffer) {
    this.#text = text;
  }

  static readonly empty = new Manifest(Buffer.from("\n"));

  static of(files: readonly ManifestFile[]): Manifest {
    const lines = files.map(({ path, size, sha256 }) => `${path}\t${size}\t${sha256}\n`).sort();
    return new Manifest(Buffer.from(`\n${lines.join("")}`));
  }

  /** @internal */
  static async unpack(packed: Buffer): Promise<Manifest> {
    const unpacked = await promisify(zstdDecompress)(packed);
    // A copy: what is small lies in a buffer of 64 KiB, which it would keep from being freed.
    const text = Buffer.allocUnsafeSlow(unpacked.length);
    unpacked.copy(text);
    return new Manifest(text);
  }

  /** @internal */
  pack(): Promise<Buffer> {
    return promisify(zstdCompress)(this.#text);
  }

  /** SHA-256 in hexadecimal: its name. */
  get digest(): string {
    return createHash("sha256").update(this.#text).digest("hex");
  }

  get byteLength(): number {
    return this.#text.byteLength;
  }

  find(path: string): FileContent | undefined {
    const start = this.#text.indexOf(`\n${path}\t`);
    if (start === -1) return undefined;
    const found = contentOf(this.#text.toString("utf8", start + 1, this.#text.indexOf("\n", start + 1)));
    // A requested path may hold anything, and with a tab in it match more of a line than its path.
    return found.path === path ? found.content : undefined;
  }

  /** Every path and its content, in the order of the paths. */
  files(): Map<string, FileContent> {
    const lines = this.#text.toString("utf8", 1).split("\n").slice(0, -1);
    return new Map(lines.map((line) => contentOf(line)).map(({ path, content }) => [path, content]));
  }

  /** The length of every distinct content by its hash. */
  sizes(): Map<string, number> {
    return new Map([...this.files().values()].map(({ sha256, size }) => [sha256, size]));
  }
}

function contentOf(line: string): { path: string; content: FileContent } {
  const [path = "", size, sha256 = ""] = line.split("\t");
  return { path, content: { size: Number(size), sha256 } };
}

/** Manifests that a warm function keeps, the last used at the end. */
const kept = new Map<string, Manifest>();
const keptBytes = 32 * 1024 * 1024;
const keptManifests = 1_000;

/** Reads a manifest of a project; it never changes, so a warm function reads it once. */
export async function readManifest(slug: string, digest: string): Promise<Manifest> {
  const key = manifestKey(slug, digest);
  const manifest = kept.get(key) ?? (await readFromStore(key, digest));
  keep(key, manifest);
  return manifest;
}

async function readFromStore(key: string, digest: string): Promise<Manifest> {
  const manifest = await Manifest.unpack(await readObject(key));
  if (manifest.digest !== digest) throw new Error(`The content of ${key} has another digest than its key says`);
  return manifest;
}

function keep(key: string, manifest: Manifest): void {
  kept.delete(key);
  kept.set(key, manifest);
  let bytes = [...kept.values()].reduce((sum, { byteLength }) => sum + byteLength, 0);
  for (const [oldest, { byteLength }] of kept) {
    if (oldest === key || (bytes <= keptBytes && kept.size <= keptManifests)) return;
    kept.delete(oldest);
    bytes -= byteLength;
  }
}

export async function writeManifest(slug: string, manifest: Manifest): Promise<void> {
  await writeObject(manifestKey(slug, manifest.digest), await manifest.pack());
}
