import * as path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { UserError } from "../errors.ts";
import { FolderWatch } from "./folder-watch.ts";
import { type DevSource, type Snapshot, takeSnapshot } from "./snapshot.ts";

/** Builds write many files at once; after the first change they have this time to go on. */
const settleMilliseconds = 50;

export interface DevFolderOptions {
  /** Reads svc.toml and the rules again. */
  readonly source: () => DevSource;
  /** The folder of svc.toml and .svcignore. */
  readonly projectDirectory: string;
  readonly signal: AbortSignal;
  /** Called when another snapshot is served, with the paths that differ. */
  onChanged(snapshot: Snapshot, changed: readonly string[]): void;
  /** Called if the folder cannot be served as it is now; what was served before still is. */
  onRefused(problem: Error): void;
}

/** A folder that is read again whenever something in it, svc.toml or .svcignore changes. */
export class DevFolder {
  readonly #options: DevFolderOptions;
  readonly #watch: FolderWatch;
  #snapshot: Snapshot;
  #root: string;
  #round: Promise<void> | undefined;
  #isDirty = false;
  /** The last problem that was reported, so that it is reported once. */
  #refused: string | undefined;

  private constructor(options: DevFolderOptions, { folder }: DevSource, snapshot: Snapshot) {
    this.#options = options;
    this.#snapshot = snapshot;
    this.#root = path.resolve(folder);
    this.#watch = new FolderWatch(() => this.#changed());
    this.#watchFolders();
    options.signal.addEventListener("abort", () => this.#watch.close(), { once: true });
  }

  /** @throws UserError if `svc publish` would refuse the folder */
  static async open(options: DevFolderOptions): Promise<DevFolder> {
    const source = options.source();
    return new DevFolder(options, source, await takeSnapshot(source, options.signal));
  }

  get snapshot(): Snapshot {
    return this.#snapshot;
  }

  /** The folder after the changes that are known. */
  async current(): Promise<Snapshot> {
    await this.#round;
    // Files that changed while that round was reading are read by the next one.
    await this.#round;
    return this.#snapshot;
  }

  /** The folder as it is now, for a file that has changed without a message of the system. */
  async refresh(): Promise<Snapshot> {
    this.#changed();
    return await this.current();
  }

  #changed(): void {
    this.#isDirty = true;
    this.#round ??= this.#read();
  }

  async #read(): Promise<void> {
    await delay(settleMilliseconds);
    this.#isDirty = false;
    try {
      const source = this.#options.source();
      this.#root = path.resolve(source.folder);
      this.#accept(await takeSnapshot(source, this.#options.signal));
    } catch (error) {
      this.#refuse(error);
    }
    this.#watchFolders();
    this.#round = this.#isDirty && !this.#options.signal.aborted ? this.#read() : undefined;
  }

  #accept(snapshot: Snapshot): void {
    const earlier = this.#snapshot;
    this.#snapshot = snapshot;
    const isRepaired = this.#refused !== undefined;
    this.#refused = undefined;
    if (snapshot.digest !== earlier.digest || isRepaired)
      this.#options.onChanged(snapshot, changedPaths(earlier, snapshot));
  }

  #refuse(error: unknown): void {
    if (this.#options.signal.aborted || !(error instanceof Error)) return;
    // A build is writing: the next reading finds the whole file.
    if (error instanceof UserError && error.code === "folder_changes") this.#isDirty = true;
    else if (this.#refused !== error.message) {
      this.#refused = error.message;
      this.#options.onRefused(error);
    }
  }

  #watchFolders(): void {
    const { projectDirectory, signal } = this.#options;
    if (signal.aborted) return;
    const folders = new Map<string, Set<string> | undefined>();
    const only = (folder: string, names: readonly string[]) => {
      folders.set(folder, new Set([...(folders.get(folder) ?? []), ...names]));
    };
    only(path.resolve(projectDirectory), ["svc.toml", ".svcignore"]);
    // A build may remove the whole folder and make it again.
    only(path.dirname(this.#root), [path.basename(this.#root)]);
    for (const folder of this.#snapshot.folders) folders.set(folder, undefined);
    if (this.#watch.replace(folders)) this.#changed();
  }
}

function changedPaths({ files: earlier }: Snapshot, { files: later }: Snapshot): string[] {
  const paths = new Set([...earlier.keys(), ...later.keys()]);
  return [...paths].filter((name) => earlier.get(name)?.sha256 !== later.get(name)?.sha256);
}
