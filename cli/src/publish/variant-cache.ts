import type { Content } from "../../../contract/api/manifest-rules.ts";
import { cacheFile, readCache, writeCache } from "./cache-file.ts";

/** Length and hash of a Brotli variant; null: it would save too little. */
export type Variant = Content | null;

/** The variants of a folder's files at the last publication, so that unchanged files are not compressed again. */
export interface VariantCache {
  /** Variants by the hash of their file. */
  read(): [string, Variant][];
  /** Replaces the cache. */
  write(variants: readonly (readonly [string, Variant])[]): void;
}

export function openVariantCache(folder: string, environment: NodeJS.ProcessEnv): VariantCache {
  const file = cacheFile("variants", folder, environment);
  return {
    read: () => (file === undefined ? [] : Object.entries(readCache(file)).filter(isEntry)),
    write: (variants) => {
      if (file !== undefined) writeCache(file, Object.fromEntries(variants));
    },
  };
}

const hash = /^[0-9a-f]{64}$/;

function isEntry(entry: [string, unknown]): entry is [string, Variant] {
  const [sha256, variant] = entry;
  if (!hash.test(sha256)) return false;
  if (variant === null) return true;
  const { size, sha256: own } = variant as Partial<Content>;
  return Number.isSafeInteger(size) && hash.test(String(own));
}
