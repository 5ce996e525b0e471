import { createHash } from "node:crypto";
import {
  createWriteStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Content } from "../../../contract/api/releases/manifest-rules.ts";
import { chunksIn, indexOf } from "../../../contract/folder/chunks.ts";
import type { CopyFacts, CopyStore } from "../../../publisher/copies.ts";
import { makePrivateDirectory } from "../private-directory.ts";
import { renameFile } from "../rename-file.ts";
import { hasErrorCode } from "../system-error.ts";
import { cacheFile, readCache, writeCache } from "./cache-file.ts";
import { type LocalFile, localFile } from "./local-file.ts";
import { nodeStream } from "./node-platform.ts";

/** Brotli copies in a folder, whose hashes a cache file of the published folder has, so that unchanged files are not compressed again. */
export interface CopyFolder extends CopyStore<LocalFile> {
  /** A file with these bytes. */
  put(name: string, bytes: Uint8Array): LocalFile;
  /** @param isContinued whether the same publication is going to be continued: what is compressed stays for it */
  close(options?: { readonly isContinued?: boolean }): void;
}

/** @param folder that is published; undefined: nothing is kept for another time */
export function openCopyFolder(folder: string | undefined, environment: NodeJS.ProcessEnv): CopyFolder {
  const cache = folder === undefined ? undefined : cacheFile("compressed", folder, environment);
  let ownFolder: string | undefined;
  const locationOf = (name: string) => {
    ownFolder ??= folder === undefined ? temporaryFolder() : workFolder("compressed", folder, environment);
    return join(ownFolder, name);
  };
  return {
    read: () => new Map(cache === undefined ? [] : Object.entries(readCache(cache)).flatMap(copyIn)),
    write: (copies) => {
      if (cache !== undefined)
        writeCache(cache, Object.fromEntries([...copies].map(([of, copy]) => [of, asEntry(copy)])));
    },
    find: (sha256, size) => {
      const status = statSync(locationOf(sha256), { throwIfNoEntry: false });
      return status?.size === size ? localFile(sha256, locationOf(sha256)) : undefined;
    },
    keep: async (sha256, bytes) => {
      const location = locationOf(sha256);
      // Found again only if it is whole: by its length.
      if (bytes instanceof Uint8Array) {
        writeFileSync(location, bytes);
        return localFile(sha256, location);
      }
      await pipeline(nodeStream(bytes), createWriteStream(`${location}.part`));
      renameFile(`${location}.part`, location);
      return localFile(sha256, location);
    },
    put: (name, bytes) => {
      const location = locationOf(createHash("sha256").update(bytes).digest("hex"));
      writeFileSync(location, bytes);
      return localFile(name, location);
    },
    close: ({ isContinued = false } = {}) => {
      if (ownFolder !== undefined && !isContinued) rmSync(ownFolder, { recursive: true, force: true });
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
  const ownFolder = join(directory, folderOf(process.pid));
  try {
    makePrivateDirectory(directory);
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (!entry.isDirectory()) continue;
      const other = join(directory, entry.name);
      const pid = Number(entry.name.split(".").at(-1));
      const isLeft = entry.name === folderOf(pid) && !isRunning(pid);
      if (isLeft && !existsSync(ownFolder)) renameSync(other, ownFolder);
      else if (Date.now() - statSync(other).mtimeMs > daysKept * 86_400_000) rmSync(other, { recursive: true });
    }
    makePrivateDirectory(ownFolder);
    return ownFolder;
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

/** Length and hash of a copy, and of a large one the index of its chunks in base64; null: it would save too little. */
type CacheEntry = (Content & { readonly index?: string }) | null;

function asEntry(copy: CopyFacts | null): CacheEntry {
  if (copy === null) return null;
  const { size, sha256, chunks } = copy;
  return { size, sha256, ...(chunks && { index: Buffer.from(indexOf(chunks)).toString("base64") }) };
}

function copyIn([of, entry]: [string, unknown]): [string, CopyFacts | null][] {
  if (!hash.test(of)) return [];
  if (entry === null) return [[of, null]];
  const { size, sha256, index = "" } = entry as Partial<NonNullable<CacheEntry>>;
  if (!Number.isSafeInteger(size) || !hash.test(String(sha256)) || typeof index !== "string") return [];
  const chunks = index === "" ? {} : { chunks: chunksIn(Buffer.from(index, "base64")) };
  return [[of, { size: Number(size), sha256: String(sha256), ...chunks }]];
}
