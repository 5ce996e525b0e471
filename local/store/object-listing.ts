import { readdir, stat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import S3Object from "@20minutes/s3rver/lib/models/object.js";

/*
 * ListObjectsV2. s3rver's own reads every file at each call, fails where one page is not enough, because OpenSSL 3 has no DES for its
 * continuation token, and finds no common prefix of objects in a folder's folder.
 */

export interface ListOptions {
  readonly prefix?: string;
  readonly startAfter?: string;
  readonly maxKeys?: number;
  /** Keys that have it after the prefix are listed as common prefixes, up to it. */
  readonly delimiter?: string | undefined;
}

export interface Listing {
  readonly objects: readonly S3Object[];
  readonly commonPrefixes: readonly string[];
  readonly isTruncated: boolean;
}

/** s3rver stores the bytes of an object in a file whose name is the key with this suffix. */
export const objectSuffix = "._S3rver_object";

/**
 * Cached names of a store's objects, by folder. Only this process writes to the store. A folder is read again after a write,
 * because reading the names of 20,000 objects takes long.
 */
export class FolderListings {
  readonly #directory: string;
  readonly #names = new Map<string, Promise<readonly string[]>>();
  /** Paths of deleted objects, which may be among the cached names. */
  readonly #deleted = new Set<string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Call this after an object was written to this path. */
  objectWritten(objectPath: string): void {
    this.#deleted.delete(objectPath);
    for (let folder = dirname(objectPath); folder.length > this.#directory.length; folder = dirname(folder))
      this.#names.delete(folder);
  }

  /** Call this before the object at this path is deleted. Its folder is not read again. */
  objectDeleted(objectPath: string): void {
    this.#deleted.add(objectPath);
  }

  /** Lists the objects whose keys begin with `prefix`, in the order of their keys. */
  async list(
    bucket: string,
    { prefix = "", startAfter = "", maxKeys = 1_000, delimiter = "" }: ListOptions,
  ): Promise<Listing> {
    const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
    const pathOf = (key: string) => join(this.#directory, bucket, key + objectSuffix);
    const keys = (await this.#namesBelow(join(this.#directory, bucket, folder))).map((name) => folder + name);
    const wanted = keys.filter((key) => key.startsWith(prefix) && key > startAfter && !this.#deleted.has(pathOf(key)));
    const commonPrefixes = new Set<string>();
    const single = wanted.filter((key) => {
      const end = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
      if (end >= 0) commonPrefixes.add(key.slice(0, end + delimiter.length));
      return end < 0;
    });
    const listed = single.slice(0, maxKeys).map(async (key) => {
      const found = await stat(pathOf(key)).catch(nullIfDeleted);
      if (found === null) return [];
      const { size, mtime } = found;
      return [new S3Object(bucket, key, null, { "content-length": size, "last-modified": mtime.toUTCString() })];
    });
    const objects = (await Promise.all(listed)).flat();
    return { objects, commonPrefixes: [...commonPrefixes], isTruncated: single.length > maxKeys };
  }

  #namesBelow(folder: string): Promise<readonly string[]> {
    // Without a slash at the end, as in `objectWritten`.
    const path = join(folder, ".");
    const names = this.#names.get(path) ?? objectNames(path);
    this.#names.set(path, names);
    return names;
  }
}

function nullIfDeleted(error: NodeJS.ErrnoException): null {
  if (error.code !== "ENOENT") throw error;
  return null;
}

async function objectNames(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  return files
    .filter((file) => file.endsWith(objectSuffix))
    .map((file) => file.slice(0, -objectSuffix.length).replaceAll(sep, "/"))
    .sort();
}
