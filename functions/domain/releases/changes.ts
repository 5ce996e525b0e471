import { limits } from "../../../contract/api/limits.ts";
import type { ReleaseSettings } from "../../../contract/api/release-settings.ts";
import type { Manifest } from "../../files/manifests.ts";

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
    const before = live.get(path);
    if (before === undefined) added.push(path);
    else if (before.sha256 !== sha256) changed.push(path);
  }
  const removed = [...live.keys()].filter((path) => !next.has(path));
  const unchanged = { count: next.size - added.length - changed.length };
  const settings = changedSettings(liveManifest.settings, nextManifest.settings);
  return { added: listed(added), changed: listed(changed), removed: listed(removed), unchanged, settings };
}

export function changedSettings(live: ReleaseSettings, next: ReleaseSettings): (keyof ReleaseSettings)[] {
  const names = Object.keys(next) as (keyof ReleaseSettings)[];
  return names.filter((name) => JSON.stringify(live[name]) !== JSON.stringify(next[name]));
}

function listed(paths: readonly string[]): PathChanges {
  return { count: paths.length, paths: paths.slice(0, limits.changedPathsListed) };
}
