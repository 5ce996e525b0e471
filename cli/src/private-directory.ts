import * as fs from "node:fs";
import * as path from "node:path";
import { hasErrorCode } from "./system-error.ts";

/**
 * Creates a directory and its missing parents with mode 0700; existing ones keep their mode. Not mkdir's `recursive`, which
 * on Linux never returns in a virtual file system that takes no directories.
 */
export function makePrivateDirectory(directory: string): void {
  if (fs.existsSync(directory)) return;
  makePrivateDirectory(path.dirname(directory));
  try {
    fs.mkdirSync(directory, { mode: 0o700 });
    if (process.platform !== "win32") fs.chmodSync(directory, 0o700);
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
  }
}
