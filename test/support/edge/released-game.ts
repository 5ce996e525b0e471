import { brotliCompressSync, constants } from "node:zlib";
import { defaultSettings, type ReleaseSettings } from "../../../contract/api/releases/release-settings.ts";
import { pointerValue, releaseName } from "../../../edge/project/pointer.ts";
import { placesAfter } from "../../../functions/domain/releases/cached-places.ts";
import type { CachedPlaces, Project } from "../../../functions/entities/project.ts";
import { CopyFacts, writeCopyFacts } from "../../../functions/files/copy-facts.ts";
import { Manifest, writeManifest } from "../../../functions/files/manifests.ts";
import { fileKey } from "../../../functions/files/object-keys.ts";
import { writeObject } from "../../../functions/files/store.ts";
import { deltaOf } from "../service/delta.ts";
import { sha256 } from "../service/steps.ts";

/** The files of a release by their paths. */
export type Texts = Readonly<Record<string, string>>;

/** Bytes of older files from which a file of a release has deltas, by the path of the file. */
export type OlderFiles = Readonly<Record<string, readonly string[]>>;

const variants = new Map<string, Buffer>();

/** The text in Brotli. */
function variantOf(text: string): Buffer {
  const params = { [constants.BROTLI_PARAM_QUALITY]: 1 };
  const made = variants.get(text) ?? brotliCompressSync(text, { params });
  variants.set(text, made);
  return made;
}

/** A game whose releases go live one after the other, as its edge sees it. */
export class ReleasedGame {
  readonly slug: string;
  readonly #manifests = new Map<string, Manifest>();
  readonly #stored: Set<string>;
  #live: { readonly manifest: string; readonly earlier: readonly string[]; readonly places: CachedPlaces } | undefined;

  /** @param stored hashes of the objects that the store has already */
  constructor(slug: string, stored = new Set<string>()) {
    this.slug = slug;
    this.#stored = stored;
  }

  /**
   * @param compressed paths of the files that have a Brotli variant
   * @returns its digest
   */
  async store(
    files: Texts,
    settings: Partial<ReleaseSettings> = {},
    older: OlderFiles = {},
    compressed: readonly string[] = [],
  ): Promise<string> {
    const objects = new Map<string, Buffer>();
    const content = (bytes: Buffer) => {
      objects.set(sha256(bytes), bytes);
      return { size: bytes.length, sha256: sha256(bytes) };
    };
    const all = Object.entries(files).map(([path, text]) => {
      const deltas = older[path]?.map((each) => ({ dictionary: sha256(each), ...content(deltaOf(each, text)) }));
      const br = compressed.includes(path) && { br: content(variantOf(text)) };
      return { path, ...content(Buffer.from(text)), ...br, ...(deltas && { deltas }) };
    });
    const manifest = Manifest.of(all, { ...defaultSettings, ...settings });
    for (const [hash, bytes] of objects) {
      if (this.#stored.has(hash)) continue;
      await writeObject(fileKey(this.slug, hash), bytes);
      this.#stored.add(hash);
    }
    await writeManifest(this.slug, manifest.digest, await manifest.pack());
    await writeCopyFacts(this.slug, manifest.digest, new CopyFacts(new Map()));
    this.#manifests.set(manifest.digest, manifest);
    return manifest.digest;
  }

  goLive(digest: string): void {
    const before = this.#live;
    const project = { currentRelease: before } as unknown as Project;
    const places = placesAfter(project, before && this.#manifest(before.manifest), this.#manifest(digest));
    const earlier = before === undefined ? [] : [before.manifest, ...before.earlier];
    this.#live = { manifest: digest, earlier: [...new Set(earlier)].filter((each) => each !== digest), places };
  }

  withdraw(digest: string): void {
    if (this.#live) this.#live = { ...this.#live, earlier: this.#live.earlier.filter((each) => each !== digest) };
  }

  /** The value of its pointer. */
  get pointer(): string {
    if (this.#live === undefined) return "u";
    const { manifest, earlier, places } = this.#live;
    const counts = earlier.map((digest) => places.counts[digest] ?? -1);
    const names = earlier.map(releaseName);
    const project = {
      kind: "live",
      live: releaseName(manifest),
      earlier: names,
      places: { deltas: [], ...places, counts },
    } as const;
    return pointerValue(project) ?? "";
  }

  #manifest(digest: string): Manifest {
    const manifest = this.#manifests.get(digest);
    if (manifest === undefined) throw new Error("The game has no such release");
    return manifest;
  }
}
