import * as fs from "node:fs";
import { ContentHash } from "../../../contract/folder/content-hash.ts";
import { nodeHashes } from "../../../contract/folder/node-hashes.ts";
import { hasErrorCode } from "../system-error.ts";

/*
 * The part of hashing that runs both in the main thread and in the worker. Both take the next file from one counter in
 * shared memory, so that neither waits for a large file of the other.
 */

export interface HashJob {
  /** One entry for each file: path on this machine, expected size, expected time of modification. */
  readonly locations: readonly string[];
  readonly sizes: readonly number[];
  readonly mtimes: readonly number[];
  /** One Int32: the index of the next file. */
  readonly counter: SharedArrayBuffer;
  /** One byte for each file (see {@link outcomes}), then a 32-byte digest for each file. */
  readonly results: SharedArrayBuffer;
}

export const outcomes = { pending: 0, hashed: 1, changed: 2, unreadable: 3 } as const;

/** Small enough for the processor's cache, large enough that most files take one read. */
const bufferBytes = 256 * 1024;

/**
 * Hashes files until none is left. Yields the length of each buffer, so that the caller can do other work in between.
 */
export function* hashFiles({ locations, sizes, mtimes, counter, results }: HashJob): Generator<number> {
  const next = new Int32Array(counter);
  const states = new Uint8Array(results, 0, locations.length);
  const digests = new Uint8Array(results, locations.length);
  const buffer = Buffer.allocUnsafeSlow(bufferBytes);
  for (;;) {
    const index = Atomics.add(next, 0, 1);
    const location = locations[index];
    if (location === undefined) return;
    const size = sizes[index] ?? 0;
    const digest = yield* hashFile(location, { size, mtimeMs: mtimes[index] ?? 0 }, buffer);
    if (digest instanceof Uint8Array) digests.set(digest, index * 32);
    states[index] = digest instanceof Uint8Array ? outcomes.hashed : digest;
  }
}

/** Hashes a file. The outcome is `changed` where size or time differ from those when the folder was read. */
function* hashFile(
  location: string,
  expected: { size: number; mtimeMs: number },
  buffer: Buffer,
): Generator<number, Uint8Array | number> {
  let descriptor: number;
  try {
    descriptor = fs.openSync(location, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    return hasErrorCode(error, "ENOENT", "ELOOP") ? outcomes.changed : outcomes.unreadable;
  }
  try {
    const hash = new ContentHash(nodeHashes, expected.size);
    let length = 0;
    for (;;) {
      const read = fs.readSync(descriptor, buffer, 0, bufferBytes, null);
      hash.update(read === bufferBytes ? buffer : buffer.subarray(0, read));
      length += read;
      yield read;
      // A short read is the end of a regular file.
      if (read < bufferBytes || length > expected.size) break;
    }
    const { size, mtimeMs } = fs.fstatSync(descriptor);
    const isSame = length === expected.size && size === expected.size && mtimeMs === expected.mtimeMs;
    return isSame ? Buffer.from(hash.digest(), "hex") : outcomes.changed;
  } catch {
    return outcomes.unreadable;
  } finally {
    fs.closeSync(descriptor);
  }
}
