import * as path from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { UserError } from "../errors.ts";
import type { LocalFile } from "./folder.ts";
import type { HashCache } from "./hash-cache.ts";
import { type HashJob, hashFiles, outcomes } from "./hash-files.ts";
import { type Progress, tallyOf } from "./progress.ts";

/** A file with the SHA-256 of its bytes in lower-case hexadecimal. */
export interface HashedFile extends LocalFile {
  readonly sha256: string;
}

/** Below both, hashing takes less time than the start of a second thread. */
const secondThreadFrom = { files: 200, bytes: 16 * 1024 * 1024 };
/** How many bytes the main thread hashes before it lets signals and progress run. */
const bytesPerTurn = 16 * 1024 * 1024;

export interface HashOptions {
  readonly cache: HashCache;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Hashes the files that are not in the cache, many or large ones in two threads.
 *
 * @throws UserError where a file has changed since the folder was read, or cannot be read
 */
export async function hashAll(files: readonly LocalFile[], options: HashOptions): Promise<HashedFile[]> {
  const { cache, now, progress } = options;
  const known = files.map((file) => cache.get(file, now));
  const unknown = files.filter((_, index) => known[index] === undefined);
  progress.start("Hashing", tallyOf(unknown));
  try {
    const hashes = await hashUnknown(unknown, options);
    const hashed = files.map((file, index) => ({ ...file, sha256: known[index] ?? hashes.get(file) ?? "" }));
    if (unknown.length > 0) cache.save(hashed, now);
    return hashed;
  } finally {
    progress.end();
  }
}

async function hashUnknown(files: readonly LocalFile[], options: HashOptions): Promise<Map<LocalFile, string>> {
  const job: HashJob = {
    locations: files.map(({ location }) => location),
    sizes: files.map(({ size }) => size),
    mtimes: files.map(({ mtimeMs }) => mtimeMs),
    counter: new SharedArrayBuffer(4),
    results: new SharedArrayBuffer(files.length * 33),
  };
  const isMuch =
    files.length > 1 && (files.length >= secondThreadFrom.files || tallyOf(files).bytes >= secondThreadFrom.bytes);
  const other = isMuch ? hashInWorker(job) : Promise.resolve();
  await Promise.all([other, hashHere(files, job, options)]);
  return collect(files, job);
}

async function hashHere(files: readonly LocalFile[], job: HashJob, { progress, signal }: HashOptions): Promise<void> {
  const next = new Int32Array(job.counter);
  let reported = 0;
  let bytes = 0;
  for (const size of hashFiles(job)) {
    // Opening a file takes the time of about 4 KiB.
    bytes += size + 4_096;
    if (bytes < bytesPerTurn) continue;
    bytes = 0;
    // The files that the two threads have taken. All are hashed but the last one or two.
    const taken = Math.min(Atomics.load(next, 0), files.length);
    progress.add(tallyOf(files.slice(reported, taken)));
    reported = taken;
    await nextTurn();
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
  const changed = files.filter((_, index) => states[index] === outcomes.changed);
  const unreadable = files.filter((_, index) => states[index] !== outcomes.hashed);
  if (changed.length > 0)
    throw new UserError("The folder changed while svc read it; nothing was sent.", {
      code: "folder_changes",
      places: changed.map((file) => `${file.path}: changed while it was read`),
      next: "Wait until the build is finished, then publish again.",
    });
  if (unreadable.length > 0)
    throw new UserError("Some files cannot be read; nothing was sent.", {
      code: "folder_unreadable",
      places: unreadable.map((file) => `${file.path}: cannot be read`),
      next: "Make them readable, or exclude them with .svcignore.",
    });
  return new Map(files.map((file, index) => [file, digests.toString("hex", index * 32, index * 32 + 32)]));
}
