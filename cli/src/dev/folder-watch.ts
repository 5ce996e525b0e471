import * as fs from "node:fs";
import * as path from "node:path";

/**
 * Whether the system watches a folder with all below it. On Linux Node and chokidar would watch every file instead, and a game
 * may have more files than the system has watches (docs/decisions/0054-the-local-service-is-the-same-edge.md#svc-dev-runs-the-games-edge-on-a-folder). On Windows a watch for each folder would
 * keep a build from renaming or removing the folders above it.
 */
const watchesRecursively = process.platform === "win32" || process.platform === "darwin";

/** Watches folders: each by itself, or with all below it if the system does that. */
export class FolderWatch {
  readonly #onChange: () => void;
  readonly #isRecursive: boolean;
  readonly #watched = new Map<string, { readonly identity: string; readonly watcher: fs.FSWatcher }>();

  constructor(onChange: () => void, isRecursive = watchesRecursively) {
    this.#onChange = onChange;
    this.#isRecursive = isRecursive;
  }

  /**
   * Watches these folders, and no others. If the system watches recursively, folders below another one have no watch.
   *
   * @param all by their paths: undefined for every change, or the only names in the folder whose change counts
   * @returns whether one of them was not watched before, so that changes may have been missed
   */
  replace(all: ReadonlyMap<string, ReadonlySet<string> | undefined>): boolean {
    const wanted = this.#isRecursive ? topmost(all) : all;
    for (const [folder, { identity, watcher }] of this.#watched) {
      if (wanted.has(folder) && identityOf(folder, wanted.get(folder)) === identity) continue;
      watcher.close();
      this.#watched.delete(folder);
    }
    const added = [...wanted].filter(([folder]) => !this.#watched.has(folder));
    for (const [folder, names] of added) this.#add(folder, names);
    return added.some(([folder]) => this.#watched.has(folder));
  }

  close(): void {
    this.replace(new Map());
  }

  /** A folder that is gone, or that cannot be watched, is left out: the folder above it is watched too. */
  #add(folder: string, names: ReadonlySet<string> | undefined): void {
    try {
      const identity = identityOf(folder, names);
      const recursive = this.#isRecursive && names === undefined;
      const watcher = fs.watch(folder, { recursive }, (_, name) => {
        if (names === undefined || name === null || names.has(name)) this.#onChange();
      });
      // Windows reports a removed folder so.
      watcher.on("error", this.#onChange);
      this.#watched.set(folder, { identity, watcher });
    } catch {
      // The next change of the folder above tries again.
    }
  }
}

/** The folders that are not below another one whose every change counts. */
function topmost<T>(folders: ReadonlyMap<string, T | undefined>): ReadonlyMap<string, T | undefined> {
  const whole = [...folders].flatMap(([folder, names]) => (names === undefined ? [`${folder}${path.sep}`] : []));
  return new Map([...folders].filter(([folder]) => !whole.some((above) => folder.startsWith(above))));
}

/** Tells a folder from another one that was made at its path later: a watch stays with the removed one. */
function identityOf(folder: string, names: ReadonlySet<string> | undefined): string {
  const status = fs.statSync(folder, { throwIfNoEntry: false });
  return [status?.dev, status?.ino, status?.birthtimeMs, ...(names ?? [])].join(":");
}
