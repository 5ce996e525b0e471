import * as fs from "node:fs";

/**
 * Watches folders, each by itself. Not `fs.watch` with `recursive`, and not chokidar: on Linux both watch every file, and a
 * game may have more files than the system has watches
 * (docs/decisions/0055-svc-dev.md).
 */
export class FolderWatch {
  readonly #onChange: () => void;
  readonly #watched = new Map<string, { readonly identity: string; readonly watcher: fs.FSWatcher }>();

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /**
   * Watches these folders, and no others.
   *
   * @param wanted by their paths: undefined for every change, or the only names in the folder whose change counts
   * @returns whether one of them was not watched before, so that changes may have been missed
   */
  replace(wanted: ReadonlyMap<string, ReadonlySet<string> | undefined>): boolean {
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
      const watcher = fs.watch(folder, (_, name) => {
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

/** Tells a folder from another one that was made at its path later: a watch stays with the removed one. */
function identityOf(folder: string, names: ReadonlySet<string> | undefined): string {
  const status = fs.statSync(folder, { throwIfNoEntry: false });
  return [status?.dev, status?.ino, status?.birthtimeMs, ...(names ?? [])].join(":");
}
