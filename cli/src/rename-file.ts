import { renameSync } from "node:fs";
import { hasErrorCode } from "./system-error.ts";

/** A virus scanner holds a new file for some milliseconds, and Windows refuses to replace a file that is held. */
const waitsMilliseconds = [10, 20, 40, 80, 160];

/** Renames a file, and retries what another program may prevent for a moment. */
export function renameFile(from: string, to: string, rename: typeof renameSync = renameSync): void {
  for (const wait of waitsMilliseconds) {
    try {
      rename(from, to);
      return;
    } catch (error) {
      if (!hasErrorCode(error, "EPERM", "EBUSY", "EACCES")) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, wait);
    }
  }
  rename(from, to);
}
