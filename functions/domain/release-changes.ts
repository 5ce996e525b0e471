import { limits } from "../../contract/limits.ts";
import type { FileContent } from "../files/manifests.ts";

/** Paths of one kind of change: how many in all, and the first 1,000. */
export interface PathChanges {
  readonly count: number;
  readonly paths: readonly string[];
}

/** What visitors would see change if one release took the place of another. */
export interface ReleaseChanges {
  readonly added: PathChanges;
  readonly changed: PathChanges;
  readonly removed: PathChanges;
  readonly unchanged: { readonly count: number };
}

type Files = ReadonlyMap<string, FileContent>;

export function compareReleases(live: Files, next: Files): ReleaseChanges {
  const added: string[] = [];
  const changed: string[] = [];
  for (const [path, { sha256 }] of next) {
    const before = live.get(path);
    if (before === undefined) added.push(path);
    else if (before.sha256 !== sha256) changed.push(path);
  }
  const removed = [...live.keys()].filter((path) => !next.has(path));
  const unchanged = { count: next.size - added.length - changed.length };
  return { added: listed(added), changed: listed(changed), removed: listed(removed), unchanged };
}

function listed(paths: readonly string[]): PathChanges {
  return { count: paths.length, paths: paths.slice(0, limits.changedPathsListed) };
}
