import { cacheFile, readCache, writeCache } from "./cache-file.ts";
import type { LocalFile } from "./folder.ts";

/*
 * Hashes of earlier published files by path, size and time of change: an unchanged folder is published without reading a
 * file. One cache file for each published folder, in $XDG_CACHE_HOME/svc/names.
 */

type Entry = readonly [size: number, mtimeMs: number, ctimeMs: number, sha256: string];

/** A file that was changed so recently may change again without a new time: file systems round times, up to 2 s. */
const recentMilliseconds = 2_000;

export interface HashCache {
  /** The hash of a file; undefined where it was not hashed before, has changed since, or changed too recently. */
  get(file: LocalFile, now: number): string | undefined;
  /** Saves the hashes of these files, and removes all others. Ignores failures: the next run hashes again. */
  save(hashed: readonly (LocalFile & { readonly sha256: string })[], hashedAt: number): void;
}

export function openHashCache(folder: string, environment: NodeJS.ProcessEnv): HashCache {
  const file = cacheFile("names", folder, environment);
  const entries = file === undefined ? {} : readEntries(file);
  return {
    get({ path: name, size, mtimeMs, ctimeMs }, now) {
      const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
      if (entry === undefined || now - Math.max(mtimeMs, ctimeMs) < recentMilliseconds) return undefined;
      const [knownSize, knownMtime, knownCtime, sha256] = entry;
      return size === knownSize && mtimeMs === knownMtime && ctimeMs === knownCtime ? sha256 : undefined;
    },
    save(hashed, hashedAt) {
      if (file === undefined) return;
      const unchanging = hashed.filter(
        ({ mtimeMs, ctimeMs }) => hashedAt - Math.max(mtimeMs, ctimeMs) >= recentMilliseconds,
      );
      const next = unchanging.map(({ path: name, size, mtimeMs, ctimeMs, sha256 }): [string, Entry] => [
        name,
        [size, mtimeMs, ctimeMs, sha256],
      ]);
      writeCache(file, Object.fromEntries(next));
    },
  };
}

function readEntries(file: string): Record<string, Entry> {
  const entries = Object.entries(readCache(file));
  return Object.fromEntries(entries.filter((entry): entry is [string, Entry] => isEntry(entry[1])));
}

function isEntry(entry: unknown): entry is Entry {
  return Array.isArray(entry) && entry.length === 4 && /^[0-9a-f]{64}$/.test(String(entry[3]));
}
