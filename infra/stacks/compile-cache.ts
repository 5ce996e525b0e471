import { lstatSync, mkdirSync } from "node:fs";
import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";

const folderOfThisCheckout = fileURLToPath(new URL("../../node_modules/.cache/compiled", import.meta.url));

/**
 * Enables Node's compile cache, in a folder of this checkout. Node's default, in the shared temporary folder, is not used,
 * because who can write to the cache decides which code runs next time. Nor is a folder that is a link, belongs to another
 * user or is open to others: then the program prints a warning and runs without a cache.
 *
 * @returns whether the folder is used
 */
export function useCompileCache(folder = folderOfThisCheckout): boolean {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // A checkout that cannot be written to, such as one in a read-only container, works without a cache.
    return false;
  }
  if (!isPrivate(folder)) {
    console.error(`The compile cache is off, because other users may write to ${folder}. Remove it.`);
    return false;
  }
  enableCompileCache(folder);
  return true;
}

function isPrivate(folder: string): boolean {
  const entry = lstatSync(folder);
  if (!entry.isDirectory()) return false;
  // Windows has neither user ids nor modes; there the access rights of the checkout apply.
  return process.getuid === undefined || (entry.uid === process.getuid() && (entry.mode & 0o077) === 0);
}
