import { defaultSettings } from "../../../contract/api/release-settings.ts";
import { pointerValue, releaseName } from "../../../edge/pointer.ts";
import { placesAfter } from "../../../functions/domain/releases/cached-places.ts";
import type { CachedPlaces, Project } from "../../../functions/entities/project.ts";
import { Manifest, writeManifest } from "../../../functions/files/manifests.ts";
import { fileKey } from "../../../functions/files/object-keys.ts";
import { writeObject } from "../../../functions/files/store.ts";
import { sha256 } from "../service/steps.ts";

/** The files of a release by their paths; each is a short text. */
export type Texts = Readonly<Record<string, string>>;

/** A game whose releases go live one after the other, as its edge sees it. */
export class ReleasedGame {
  readonly slug: string;
  readonly #manifests = new Map<string, Manifest>();
  #live: { readonly manifest: string; readonly earlier: readonly string[]; readonly places: CachedPlaces } | undefined;

  constructor(slug: string) {
    this.slug = slug;
  }

  /** @returns its digest */
  async store(files: Texts, settings: { readonly isolation: boolean } = { isolation: false }): Promise<string> {
    const texts = Object.entries(files);
    const all = texts.map(([path, text]) => ({ path, size: Buffer.byteLength(text), sha256: sha256(text) }));
    const manifest = Manifest.of(all, { ...defaultSettings, ...settings });
    for (const text of new Set(Object.values(files)))
      await writeObject(fileKey(this.slug, sha256(text)), Buffer.from(text));
    await writeManifest(this.slug, manifest.digest, await manifest.pack());
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
      places: { ...places, counts },
    } as const;
    return pointerValue(project) ?? "";
  }

  #manifest(digest: string): Manifest {
    const manifest = this.#manifests.get(digest);
    if (manifest === undefined) throw new Error("The game has no such release");
    return manifest;
  }
}
