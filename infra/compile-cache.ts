import { lstatSync, mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

const folderOfThisCheckout = fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url));

/**
 * Keeps what Node has compiled between runs, in a folder of this checkout. Whoever can write to that folder decides what
 * runs here next time, so Node's default, a folder in the shared temporary folder, is not used. Nor is a folder that is a
 * link, belongs to another user or is open to others: the program then says so and runs without a cache.
 *
 * @returns whether the folder is used
 */
export function keepCompiledCode(folder = folderOfThisCheckout): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // A checkout that cannot be written to, such as one in a read-only container, works without a cache.
    return false;
  }
  if (!isPrivate(folder)) {
    console.error(`Compiled code is not kept, because other users may write to ${folder}. Remove it.`);
    return false;
  }
  enableCompileCache(folder);
  return true;
}

function isPrivate(folder: string): boolean {
  const found = lstatSync(folder);
  if (!found.isDirectory()) return false;
  // Windows has neither user ids nor modes; there the checkout's own access rights hold.
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
}
