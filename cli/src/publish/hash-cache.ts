import { cacheFile, readCache, writeCache } from "./cache-file.ts";
import type { LocalFile } from "./folder.ts";

/*
 * Hashes of files that were published before, by path, size and time of change, so that an unchanged folder is published
 * without reading a file. One file for each published folder, in $XDG_CACHE_HOME/svc/hashes.
 */

/** Size, time of modification, time of inode change, SHA-256. */
type Entry = readonly [size: number, mtimeMs: number, ctimeMs: number, sha256: string];

/** A file that was touched this recently may be touched again within the same tick of the file system's clock. */
const unsettledMilliseconds = 2_000;

export interface HashCache {
  /** The hash of a file, where it was hashed before and has not been touched since. */
  get(file: LocalFile, now: number): string | undefined;
  /** Keeps the hashes of these files and forgets all others. Failures are no harm: the next run hashes again. */
  save(hashed: readonly (LocalFile & { readonly sha256: string })[], hashedAt: number): void;
}

export function openHashCache(folder: string, environment: NodeJS.ProcessEnv): HashCache {
  const file = cacheFile("hashes", folder, environment);
  const entries = file === undefined ? {} : readEntries(file);
  return {
    get({ path: name, size, mtimeMs, ctimeMs }, now) {
      const entry = Object.hasOwn(entries, name) ? entries[name] : undefined;
      if (entry === undefined || now - Math.max(mtimeMs, ctimeMs) < unsettledMilliseconds) return undefined;
      const [knownSize, knownMtime, knownCtime, sha256] = entry;
      return size === knownSize && mtimeMs === knownMtime && ctimeMs === knownCtime ? sha256 : undefined;
    },
    save(hashed, hashedAt) {
      if (file === undefined) return;
      const settled = hashed.filter(
        ({ mtimeMs, ctimeMs }) => hashedAt - Math.max(mtimeMs, ctimeMs) >= unsettledMilliseconds,
      );
      const next = settled.map(({ path: name, size, mtimeMs, ctimeMs, sha256 }): [string, Entry] => [
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
