import { createHash } from "node:crypto";
import { describe, expect, test } from "@jest/globals";
import type { ManifestFile } from "../../../contract/api/releases/manifest-rules.ts";
import { defaultSettings } from "../../../contract/api/releases/release-settings.ts";
import { deltaMark } from "../../../edge/cache/place.ts";
import { pointerValue, releaseName } from "../../../edge/project/pointer.ts";
import type { CachedPlaces, Project } from "../../entities/project.ts";
import { Manifest } from "../../files/manifests.ts";
import { placesAfter } from "./cached-places.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

/** A large file of a release with deltas, the first of which saves most. */
function updated(path: string, version: number, deltas: number): ManifestFile {
  return {
    ...{ path, size: 1_000_000, sha256: hash(`${path} ${version}`) },
    deltas: Array.from({ length: deltas }, (_, index) => ({
      dictionary: hash(`${path} ${version - 1 - index}`),
      size: 1_000 + index,
      sha256: hash(`delta of ${path} ${version} ${index}`),
    })),
  };
}

const manifestOf = (files: readonly ManifestFile[]) => Manifest.of(files, defaultSettings);

function goLive(before: { manifest: Manifest; places: CachedPlaces } | undefined, next: Manifest): CachedPlaces {
  const currentRelease = before && { manifest: before.manifest.digest, earlier: [], places: before.places };
  return placesAfter({ currentRelease } as unknown as Project, before?.manifest, next);
}

describe("marks of deltas", () => {
  test("are of the release's own, those first that save most", () => {
    const { deltas } = goLive(undefined, manifestOf([updated("a.bin", 5, 3)]));
    const dictionaries = [4, 3, 2].map((version) => Buffer.from(hash(`a.bin ${version}`), "hex").toString("base64url"));
    expect(deltas).toEqual(dictionaries.map((dictionary) => deltaMark("a.bin", dictionary)));
    expect(goLive(undefined, manifestOf([updated("a.bin", 5, 0)])).deltas).toEqual([]);
  });

  test.each([1, 8, 30])("leave room for the changes of a hundred releases, if each changes %i files", (count) => {
    const names = Array.from({ length: 60 }, (_, index) => `file-${index}.bin`);
    let live: { manifest: Manifest; places: CachedPlaces } | undefined;
    const lengths: number[] = [];
    const marks: number[] = [];
    const versions = new Map<string, number>();
    for (let release = 1; release <= 100; release += 1) {
      for (let index = 0; index < count; index += 1) versions.set(names[(release * count + index) % 60] ?? "", release);
      // Every third release changes no file, and has deltas of all.
      const files = names.map((name) => updated(name, versions.get(name) ?? 0, release % 3 === 0 ? 3 : 1));
      const manifest = manifestOf(files);
      const places = goLive(live, manifest);
      live = { manifest, places };
      const earlier = Array.from({ length: 5 }, (_, index) => releaseName(hash(`${index}`)));
      const counts = earlier.map(() => places.changes.length);
      const pointer = { kind: "live", live: releaseName(manifest.digest), earlier, ownedSince: "mh3k2p1a" } as const;
      const value = pointerValue({
        ...{ ...pointer, fallback: earlier[0] },
        places: { ...places, deltas: places.deltas ?? [], counts },
      });
      lengths.push(value?.length ?? 0);
      marks.push(places.deltas?.length ?? 0);
    }
    expect(Math.max(...lengths)).toBeLessThanOrEqual(1_000);
    expect(Math.max(...marks)).toBe(40);
  });
});
