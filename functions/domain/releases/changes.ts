import { limits } from "../../../contract/api/limits.ts";
import { seenBytesOf } from "../../../contract/api/releases/manifest-rules.ts";
import { changedSettings, type ReleaseSettings } from "../../../contract/api/releases/release-settings.ts";
import type { Release } from "../../entities/release.ts";
import { type CopyFacts, pathsThatDiffer } from "../../files/copy-facts.ts";
import { type CopyClaim, claimKey, type FileContent, type Manifest } from "../../files/manifests.ts";

/** Paths of one kind of change: how many there are, and the first 1,000. */
export interface PathChanges {
  readonly count: number;
  readonly paths: readonly string[];
}

/** Changes that visitors would see if one release took the place of another. */
export interface ReleaseChanges {
  readonly added: PathChanges;
  readonly changed: PathChanges;
  readonly removed: PathChanges;
  readonly unchanged: { readonly count: number };
  readonly settings: readonly (keyof ReleaseSettings)[];
}

export function compareReleases(liveManifest: Manifest, nextManifest: Manifest): ReleaseChanges {
  const [live, next] = [liveManifest.files(), nextManifest.files()];
  const added: string[] = [];
  const changed: string[] = [];
  for (const [path, { sha256 }] of next) {
    const liveFile = live.get(path);
    if (liveFile === undefined) added.push(path);
    else if (liveFile.sha256 !== sha256) changed.push(path);
  }
  const removed = [...live.keys()].filter((path) => !next.has(path));
  const unchanged = { count: next.size - added.length - changed.length };
  const settings = changedSettings(liveManifest.settings, nextManifest.settings);
  return { added: listed(added), changed: listed(changed), removed: listed(removed), unchanged, settings };
}

/** Copies that a release has and the live one does not, by the paths of their files. */
export interface CopyChanges {
  /** Whether the service has unpacked all copies of the release. Until then none is sent. */
  readonly isChecked: boolean;
  readonly brotli: PathChanges;
  readonly deltas: PathChanges;
  /** Files with a copy that does not unpack to them, also if the live release has it. */
  readonly different: PathChanges;
}

/** @param facts what is known about the copies of the next release; undefined if nobody has checked them */
export function compareCopies(live: Manifest, next: Manifest, facts: CopyFacts | undefined): CopyChanges {
  const liveClaims = new Set(live.copies().map(claimKey));
  const withNew = (copiesOf: (file: FileContent) => readonly CopyClaim["copy"][]) =>
    [...next.files()].flatMap(([path, file]) =>
      copiesOf(file).some((copy) => !liveClaims.has(claimKey({ file: { path, ...file }, copy }))) ? [path] : [],
    );
  return {
    isChecked: facts !== undefined || !next.hasCopies,
    brotli: listed(withNew(({ br }) => (br ? [br] : []))),
    deltas: listed(withNew(({ deltas = [] }) => deltas)),
    different: listed(facts ? pathsThatDiffer(next, facts) : []),
  };
}

/**
 * Bytes that players load if they have the files of the live release; undefined if deltas save nothing. A dictionary is named by the
 * SHA-256 of its bytes, which a manifest lacks for a file that was uploaded in parts or is stored in Brotli: for such a file the smallest
 * delta counts.
 */
export function returningLoad(live: Manifest, next: Manifest): Release["returning"] {
  const [liveFiles, held] = [live.files(), live.sizes()];
  const load = { bytes: 0, withoutDeltas: 0 };
  for (const [path, { sha256, size, br, encoding, deltas = [] }] of next.files()) {
    if (liveFiles.get(path)?.sha256 === sha256) continue;
    const whole = br?.size ?? size;
    const isNamed = size <= limits.largeFileBytes && seenBytesOf({ path, sha256, encoding }) === sha256;
    const usable = deltas.filter(({ dictionary }) => !isNamed || held.has(dictionary));
    load.bytes += Math.min(whole, ...usable.map((delta) => delta.size));
    load.withoutDeltas += whole;
  }
  return load.bytes < load.withoutDeltas ? load : undefined;
}

function listed(paths: readonly string[]): PathChanges {
  return { count: paths.length, paths: paths.slice(0, limits.changedPathsListed) };
}
