import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { homeDirectory } from "../home-directory.ts";
import { makePrivateDirectory } from "../private-directory.ts";
import { renameFile } from "../rename-file.ts";

/*
 * Caches of published folders: one JSON file for each folder and kind, in $XDG_CACHE_HOME/svc/<kind>.
 */

/** The cache file of a folder; undefined if there is no cache or home directory. */
export function cacheFile(kind: string, folder: string, environment: NodeJS.ProcessEnv): string | undefined {
  const directory = cacheDirectory(environment);
  if (directory === undefined) return undefined;
  const name = createHash("sha256").update(fs.realpathSync(folder)).digest("hex");
  return path.join(directory, kind, `${name}.json`);
}

/** The folder of svc's caches; undefined if there is no cache or home directory. */
export function cacheDirectory(environment: NodeJS.ProcessEnv): string | undefined {
  const configured = environment["XDG_CACHE_HOME"] ?? "";
  const base = path.isAbsolute(configured) ? configured : path.join(homeDirectory(), ".cache");
  return path.isAbsolute(base) ? path.join(base, "svc") : undefined;
}

/** The entries of the file; none if it does not exist or cannot be read. */
export function readCache(file: string): Record<string, unknown> {
  try {
    const entries: unknown = JSON.parse(fs.readFileSync(file, "utf8"));
    return typeof entries === "object" && entries !== null ? { ...entries } : {};
  } catch {
    return {};
  }
}

export function writeCache(file: string, entries: Readonly<Record<string, unknown>>): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    makePrivateDirectory(path.dirname(file));
    fs.writeFileSync(temporary, JSON.stringify(entries), { mode: 0o600 });
    renameFile(temporary, file);
  } catch {
    // Without the cache the next run only takes longer.
    fs.rm(temporary, { force: true }, () => {});
  }
}
