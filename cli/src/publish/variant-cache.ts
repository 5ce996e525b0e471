import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Content } from "../../../contract/api/releases/manifest-rules.ts";
import { makePrivateDirectory } from "../private-directory.ts";
import { hasErrorCode } from "../system-error.ts";
import { cacheFile, readCache, writeCache } from "./cache-file.ts";

/** Length and hash of a Brotli variant, and of a large one the index of its chunks in base64; null: it would save too little. */
export type Variant = (Content & { readonly index?: string }) | null;

/** The variants of a folder's files at the last publication, so that unchanged files are not compressed again. */
export interface VariantCache {
  /** Variants by the hash of their file. */
  read(): [string, Variant][];
  /** Replaces the cache. */
  write(variants: readonly (readonly [string, Variant])[]): void;
  /** A folder for the variants themselves, with those that an interrupted publication of this folder has left. */
  makeFolder(): string;
}

export function openVariantCache(folder: string, environment: NodeJS.ProcessEnv): VariantCache {
  const file = cacheFile("compressed", folder, environment);
  return {
    makeFolder: () => workFolder("compressed", folder, environment),
    read: () => (file === undefined ? [] : Object.entries(readCache(file)).filter(isEntry)),
    write: (variants) => {
      if (file !== undefined) writeCache(file, Object.fromEntries(variants));
    },
  };
}

/** A folder in the cache for what a publication of this folder or zip makes, with what an interrupted one has left there. */
export function workFolder(kind: "compressed" | "unpacked", folder: string, environment: NodeJS.ProcessEnv): string {
  const file = cacheFile(kind, folder, environment);
  return (file === undefined ? undefined : adoptFolder(file)) ?? temporaryFolder();
}

export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "svc-variants-"));
}

const daysKept = 7;

/**
 * Makes this process's folder beside the cache file: the one of a process of this machine that is over, if there is one, so that two at
 * a time never share one. Removes what nobody has come back for.
 *
 * @returns undefined if it cannot be made
 */
function adoptFolder(cache: string): string | undefined {
  const [directory, name] = [dirname(cache), basename(cache, ".json")];
  const folderOf = (pid: number) => `${name}.${hostname()}.${pid}`;
  const own = join(directory, folderOf(process.pid));
  try {
    makePrivateDirectory(directory);
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const other = join(directory, entry.name);
      const pid = Number(entry.name.split(".").at(-1));
      const isLeft = entry.name === folderOf(pid) && !isRunning(pid);
      if (isLeft && !existsSync(own)) renameSync(other, own);
      else if (Date.now() - statSync(other).mtimeMs > daysKept * 86_400_000) rmSync(other, { recursive: true });
    }
    makePrivateDirectory(own);
    return own;
  } catch {
    return undefined;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasErrorCode(error, "EPERM");
  }
}

const hash = /^[0-9a-f]{64}$/;

function isEntry(entry: [string, unknown]): entry is [string, Variant] {
  const [sha256, variant] = entry;
  if (!hash.test(sha256)) return false;
  if (variant === null) return true;
  const { size, sha256: own, index = "" } = variant as Partial<NonNullable<Variant>>;
  return Number.isSafeInteger(size) && hash.test(String(own)) && typeof index === "string";
}
