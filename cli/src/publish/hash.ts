import * as path from "node:path";
import { setImmediate as breathe } from "node:timers/promises";
import { UserError } from "../errors.ts";
import type { LocalFile } from "./folder.ts";
import type { HashCache } from "./hash-cache.ts";
import { type HashJob, hashFiles, outcomes } from "./hash-files.ts";

/** A file with the SHA-256 of its bytes in lower-case hexadecimal. */
export interface HashedFile extends LocalFile {
  readonly sha256: string;
}

/** Less work than this is done sooner than a second thread is started. */
const worthAThread = { files: 200, bytes: 16 * 1024 * 1024 };
/** How many bytes the main thread hashes before it looks at signals and progress again. */
const breathBytes = 16 * 1024 * 1024;

export interface HashOptions {
  readonly cache: HashCache;
  /** Told after every few files how many bytes this thread has hashed. */
  onProgress(done: { files: number; bytes: number }): void;
  readonly signal: AbortSignal;
}

/**
 * Hashes the files, without reading those that the cache knows, in this thread and one more.
 *
 * @throws UserError where a file changes or cannot be read
 */
export async function hashAll(files: readonly LocalFile[], options: HashOptions): Promise<HashedFile[]> {
  const now = Date.now();
  const known = files.map((file) => options.cache.get(file, now));
  const unknown = files.filter((_, index) => known[index] === undefined);
  const hashes = await hashUnknown(unknown, options);
  const hashed = files.map((file, index) => ({ ...file, sha256: known[index] ?? hashes.get(file) ?? "" }));
  if (unknown.length > 0) options.cache.save(hashed, now);
  return hashed;
}

async function hashUnknown(files: readonly LocalFile[], options: HashOptions): Promise<Map<LocalFile, string>> {
  const job: HashJob = {
    locations: files.map(({ location }) => location),
    sizes: files.map(({ size }) => size),
    mtimes: files.map(({ mtimeMs }) => mtimeMs),
    counter: new SharedArrayBuffer(4),
    results: new SharedArrayBuffer(files.length * 33),
  };
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const isWorth = files.length > 1 && (files.length >= worthAThread.files || bytes >= worthAThread.bytes);
  const other = isWorth ? hashInWorker(job) : Promise.resolve();
  await Promise.all([other, hashHere(job, options)]);
  return collect(files, job);
}

async function hashHere(job: HashJob, { onProgress, signal }: HashOptions): Promise<void> {
  const done = { files: 0, bytes: 0 };
  let sinceBreath = 0;
  for (const size of hashFiles(job)) {
    done.files += 1;
    done.bytes += size;
    sinceBreath += size + 4_096;
    if (sinceBreath < breathBytes) continue;
    sinceBreath = 0;
    onProgress(done);
    await breathe();
    signal.throwIfAborted();
  }
}

async function hashInWorker(job: HashJob): Promise<void> {
  const { Worker } = await import("node:worker_threads");
  const worker = new Worker(path.join(import.meta.dirname, "hash-worker.cjs"), { workerData: job });
  await new Promise<void>((resolve, reject) => {
    worker.once("message", () => resolve());
    worker.once("error", reject);
  });
}

function collect(files: readonly LocalFile[], { results }: HashJob): Map<LocalFile, string> {
  const states = new Uint8Array(results, 0, files.length);
  const digests = Buffer.from(results, files.length);
  const hashes = new Map<LocalFile, string>();
  const problems: string[] = [];
  for (const [index, file] of files.entries()) {
    if (states[index] === outcomes.hashed) hashes.set(file, digests.toString("hex", index * 32, index * 32 + 32));
    else
      problems.push(
        `${file.path}: ${states[index] === outcomes.changed ? "changed while it was read" : "cannot be read"}`,
      );
  }
  if (problems.length > 0)
    throw new UserError("The folder changes while it is published; nothing was sent.", {
      code: "folder_changes",
      places: problems,
      next: "Wait until the build is done, then publish again.",
    });
  return hashes;
}
