import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";
import {
  type Content,
  type Delta,
  type ManifestFile,
  seenBytesOf,
} from "../../contract/api/releases/manifest-rules.ts";
import {
  canonicalSettings,
  defaultSettings,
  dictionaryPath,
  type ReleaseSettings,
} from "../../contract/api/releases/release-settings.ts";
import { StoreRefusal } from "./http-client.ts";
import { manifestKey } from "./object-keys.ts";
import { readObject, writeObject } from "./store.ts";

/** Content that a manifest gives for one path. */
export type FileContent = Omit<ManifestFile, "path">;

/**
 * A release's settings and files as text. The first line has the settings that are not the default ones as JSON, with the deltas
 * by `seenBytesOf` their file and the indexes by that of the bytes whose chunks they name, and is empty if there is none of these. Then one line a file, `path TAB size TAB sha256`, with a Brotli variant `TAB size TAB sha256` of
 * it, or with `TAB identity` if its name does not say how it is encoded, in the order of the paths: paths hold no control character, so a file is found without taking 20,000 lines apart.
 * Two manifests of the same files and settings are the same bytes.
 */
export class Manifest {
  readonly #text: Buffer;
  readonly #deltas: Deltas;
  /** Indexes by the SHA-256 of the bytes whose chunks they name. */
  readonly indexes: Indexes;
  readonly settings: ReleaseSettings;
  #hasCopies: boolean | undefined;

  private constructor(text: Buffer) {
    this.#text = text;
    const { deltas = {}, indexes = {}, ...settings } = JSON.parse(text.toString("utf8", 0, text.indexOf("\n")) || "{}");
    this.#deltas = deltas;
    this.indexes = indexes;
    this.settings = { ...defaultSettings, ...settings };
  }

  /** The same files with other settings, and without deltas of what has none by these (`dictionaryPath`). */
  withSettings(settings: ReleaseSettings): Manifest {
    const files = this.list().map(({ deltas, ...file }) =>
      deltas && dictionaryPath(file, settings) !== undefined ? { ...file, deltas } : file,
    );
    const lines = this.#text.subarray(this.#text.indexOf("\n"));
    return new Manifest(Buffer.concat([Buffer.from(firstLine(settings, deltasOf(files), this.indexes)), lines]));
  }

  static readonly empty = new Manifest(Buffer.from("\n"));

  static of(files: readonly ManifestFile[], settings = defaultSettings): Manifest {
    const lines = files
      .map(
        ({ path, size, sha256, br, encoding }) =>
          `${[path, { size, sha256 }, br, encoding].flatMap(fields).join("\t")}\n`,
      )
      .sort();
    return new Manifest(Buffer.from(`${firstLine(settings, deltasOf(files), indexesOf(files))}\n${lines.join("")}`));
  }

  /** @internal */
  static async unpack(packed: Buffer): Promise<Manifest> {
    const unpacked = await promisify(zstdDecompress)(packed);
    // A copy: what is small lies in a buffer of 64 KiB, which it would keep from being freed.
    const text = Buffer.allocUnsafeSlow(unpacked.length);
    unpacked.copy(text);
    return new Manifest(text);
  }

  /** As it is stored. */
  pack(): Promise<Buffer> {
    return promisify(zstdCompress)(this.#text);
  }

  /** SHA-256 in hexadecimal: its name. */
  get digest(): string {
    return createHash("sha256").update(this.#text).digest("hex");
  }

  /** The digest that it has without deltas and indexes: manifests of the same files and settings have the same. */
  get filesDigest(): string {
    const files = this.#text.subarray(this.#text.indexOf("\n"));
    return createHash("sha256")
      .update(firstLine(this.settings, {}, {}))
      .update(files)
      .digest("hex");
  }

  get byteLength(): number {
    return this.#text.byteLength;
  }

  /** Looks through the text: whoever looks for many paths asks {@link files} once. */
  find(path: string): FileContent | undefined {
    const start = this.#text.indexOf(`\n${path}\t`);
    if (start === -1) return undefined;
    const line = contentOf(this.#text.toString("utf8", start + 1, this.#text.indexOf("\n", start + 1)));
    // A requested path may hold anything, and with a tab in it match more of a line than its path.
    return line.path === path ? this.#withDeltas(path, line.content) : undefined;
  }

  /** Every path and its content, in the order of the paths. */
  files(): Map<string, FileContent> {
    const lines = this.#text
      .toString("utf8", this.#text.indexOf("\n") + 1)
      .split("\n")
      .slice(0, -1);
    return new Map(
      lines.map((line) => contentOf(line)).map(({ path, content }) => [path, this.#withDeltas(path, content)]),
    );
  }

  /** The files as a publisher lists them, in the order of the paths. */
  list(): ManifestFile[] {
    return [...this.files()].map(([path, content]) => ({ path, ...content }));
  }

  /**
   * The length of every distinct content, variants, deltas and indexes too, by its hash.
   *
   * @param listed what {@link list} returned, if it is at hand: it takes the text apart
   */
  sizes(listed?: readonly ManifestFile[]): Map<string, number> {
    const all = listed ?? [...this.files().values()];
    const files = all.flatMap((file): Content[] => (file.br ? [file, file.br] : [file]));
    const contents = [...files, ...Object.values(this.#deltas).flat(), ...Object.values(this.indexes)];
    return new Map(contents.map(({ sha256, size }) => [sha256, size]));
  }

  /** Whether a file has a Brotli copy or a delta. */
  get hasCopies(): boolean {
    this.#hasCopies ??= Object.keys(this.#deltas).length > 0 || withVariant.test(this.#text.toString("latin1"));
    return this.#hasCopies;
  }

  /**
   * Every copy with the file that it is said to be, each pair once, in an order that depends on the manifest alone. Findings name a copy by
   * its place, and an earlier version of the service has no deltas of what is stored in Brotli, so those are the last ones.
   */
  copies(files = this.list()): CopyClaim[] {
    const ofStored = files.flatMap((file) => [
      ...(file.br ? [{ file, copy: file.br }] : []),
      ...(this.#deltas[file.sha256] ?? []).map((copy) => ({ file: { ...file, encoding: "identity" as const }, copy })),
    ]);
    const ofUnpacked = files
      .filter((file) => seenBytesOf(file) !== file.sha256)
      .flatMap((file) => (file.deltas ?? []).map((copy) => ({ file, copy })));
    return [...new Map([...ofStored, ...ofUnpacked].map((claim) => [claimKey(claim), claim])).values()];
  }

  /**
   * The files that can have deltas or be what one is made from, by what they have in common (`dictionaryPath`); none if several files have
   * the same.
   */
  dictionaries(): Map<string, ManifestFile> {
    const byPlace = Map.groupBy(this.list(), (file) => dictionaryPath(file, this.settings));
    return new Map(
      [...byPlace].flatMap(([place, [file, ...others]]) =>
        place !== undefined && file !== undefined && others.length === 0 ? [[place, file] as const] : [],
      ),
    );
  }

  #withDeltas(path: string, content: FileContent): FileContent {
    const deltas = this.#deltas[seenBytesOf({ path, ...content })];
    return deltas ? { ...content, deltas } : content;
  }
}

/** A line of a file with a Brotli variant. */
const withVariant = /\t[0-9a-f]{64}\t\d+\t[0-9a-f]{64}\n/;

/** Bytes from which those of a file can be made: its Brotli copy, or a delta, which has a dictionary. */
interface Copy extends Content {
  readonly dictionary?: string | undefined;
}

/** Claim of a manifest that an object gives the bytes of a file when it is unpacked. */
export interface CopyClaim {
  readonly file: Pick<ManifestFile, "path" | "size" | "sha256" | "encoding">;
  readonly copy: Copy;
}

/** Tells claims of a project apart. */
export function claimKey({ file, copy: { sha256, dictionary } }: CopyClaim): string {
  return [sha256, seenBytesOf(file), ...(dictionary === undefined ? [] : [dictionary])].join(" ");
}

/** Deltas by the bytes that they give: `seenBytesOf` a file. */
type Deltas = Readonly<Record<string, readonly Delta[]>>;

/** Sorted, so that the same deltas are the same text. Files with the same bytes have the same ones. */
function deltasOf(files: readonly ManifestFile[]): Deltas {
  const byBytes = new Map<string, Map<string, Delta>>();
  for (const file of files) {
    const bytes = seenBytesOf(file);
    const deltasOfFile = byBytes.get(bytes) ?? new Map();
    for (const delta of file.deltas ?? [])
      deltasOfFile.set(delta.dictionary, deltasOfFile.get(delta.dictionary) ?? delta);
    if (deltasOfFile.size > 0) byBytes.set(bytes, deltasOfFile);
  }
  const sorted = [...byBytes].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([bytes, deltas]) => [bytes, [...deltas.values()].toSorted(byDictionary)]));
}

type Indexes = Readonly<Record<string, Content>>;

/** Sorted, so that the same indexes are the same text. */
function indexesOf(files: readonly ManifestFile[]): Indexes {
  const indexed = files.flatMap((file) => (file.br ? [file, file.br] : [file]));
  const entries = indexed.flatMap(({ sha256, index }) => (index ? [[sha256, index] as const] : []));
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function byDictionary(a: Delta, b: Delta): number {
  return a.dictionary < b.dictionary ? -1 : 1;
}

function fields(part: string | Content | undefined): (string | number)[] {
  if (part === undefined) return [];
  return typeof part === "string" ? [part] : [part.size, part.sha256];
}

/** Default settings leave no trace, so a manifest without any has the digest that it had before there were settings. */
function firstLine(settings: ReleaseSettings, deltas: Deltas, indexes: Indexes): string {
  const { isolation, immutable, spa, frame, preload, updates } = canonicalSettings(settings);
  const changed = {
    ...(isolation && { isolation }),
    ...(immutable.length > 0 && { immutable }),
    ...(spa && { spa }),
    ...(frame !== defaultSettings.frame && { frame }),
    ...(preload.length > 0 && { preload }),
    ...(updates !== defaultSettings.updates && { updates }),
    ...(Object.keys(deltas).length > 0 && { deltas }),
    ...(Object.keys(indexes).length > 0 && { indexes }),
  };
  return Object.keys(changed).length === 0 ? "" : JSON.stringify(changed);
}

function contentOf(line: string): { path: string; content: FileContent } {
  const [path = "", size, sha256 = "", brSizeOrEncoding, brSha256] = line.split("\t");
  const content = { size: Number(size), sha256 };
  if (brSizeOrEncoding === undefined) return { path, content };
  if (brSha256 === undefined) return { path, content: { ...content, encoding: "identity" } };
  return { path, content: { ...content, br: { size: Number(brSizeOrEncoding), sha256: brSha256 } } };
}

/** Manifests that a warm function keeps, the last used at the end, and how many bytes they are. */
const cache = new Map<string, Manifest>();
let keptTotal = 0;
const keptBytes = 32 * 1024 * 1024;
const keptManifests = 1_000;

/** Reads a manifest of a project; it never changes, so a warm function reads it once. */
export async function readManifest(slug: string, digest: string): Promise<Manifest> {
  const key = manifestKey(slug, digest);
  const manifest = cache.get(key) ?? (await readFromStore(key, digest));
  keep(key, manifest);
  return manifest;
}

/**
 * Reads a manifest; undefined if there is none: a release that was live once may be swept by now. S3 says 403 of a missing object
 * to a role that may not list the bucket, so both mean that there is none.
 */
export async function findManifest(slug: string, digest: string): Promise<Manifest | undefined> {
  try {
    return await readManifest(slug, digest);
  } catch (error) {
    if (error instanceof StoreRefusal && [403, 404].includes(error.status)) return undefined;
    throw error;
  }
}

async function readFromStore(key: string, digest: string): Promise<Manifest> {
  const manifest = await Manifest.unpack(await readObject(key));
  if (manifest.digest !== digest) throw new Error(`The content of ${key} has another digest than its key says`);
  return manifest;
}

function keep(key: string, manifest: Manifest): void {
  forget(key);
  cache.set(key, manifest);
  keptTotal += manifest.byteLength;
  for (const oldest of cache.keys()) {
    if (oldest === key || (keptTotal <= keptBytes && cache.size <= keptManifests)) return;
    forget(oldest);
  }
}

function forget(key: string): void {
  keptTotal -= cache.get(key)?.byteLength ?? 0;
  cache.delete(key);
}

/** @param packed what {@link Manifest.pack} made of the manifest with this digest */
export async function writeManifest(slug: string, digest: string, packed: Buffer): Promise<void> {
  await writeObject(manifestKey(slug, digest), packed);
}
