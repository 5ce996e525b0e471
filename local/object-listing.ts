import { readdir, stat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import S3Object from "@20minutes/s3rver/lib/models/object.js";

/*
 * ListObjectsV2 of what is below a folder, from a key on. s3rver's own looks at every file at each call, and fails where
 * there is more to list, because OpenSSL 3 has no DES for its continuation token.
 */

export interface ListOptions {
  readonly prefix?: string;
  readonly startAfter?: string;
  readonly maxKeys?: number;
  /** Asks to fold what lies below it, which is left to s3rver. */
  readonly delimiter?: string;
}

export interface Listing {
  readonly objects: readonly S3Object[];
  readonly commonPrefixes: readonly string[];
  readonly isTruncated: boolean;
}

/** What s3rver appends to a key for the name of the file with its bytes. */
export const objectSuffix = "._S3rver_object";

/**
 * The folders of a store that this process alone writes. A folder is read once for all lists until something is written
 * below it: reading 20,000 objects' names takes longer than anything else here.
 */
export class FolderListings {
  readonly #directory: string;
  readonly #names = new Map<string, Promise<readonly string[]>>();
  /** Paths of objects that were deleted, perhaps since the names were read. */
  readonly #deleted = new Set<string>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** To be called once an object stands at this path. */
  forget(objectPath: string): void {
    this.#deleted.delete(objectPath);
    for (let folder = dirname(objectPath); folder.length > this.#directory.length; folder = dirname(folder))
      this.#names.delete(folder);
  }

  /** To be called before the object at this path is deleted. Its folder is not read again for that. */
  leaveOut(objectPath: string): void {
    this.#deleted.add(objectPath);
  }

  /** Lists the objects whose keys begin with `prefix`, in the order of their keys. */
  async list(bucket: string, { prefix = "", startAfter = "", maxKeys = 1_000 }: ListOptions): Promise<Listing> {
    const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
    const pathOf = (key: string) => join(this.#directory, bucket, key + objectSuffix);
    const keys = (await this.#namesBelow(join(this.#directory, bucket, folder))).map((name) => folder + name);
    const wanted = keys.filter((key) => key.startsWith(prefix) && key > startAfter && !this.#deleted.has(pathOf(key)));
    const listed = wanted.slice(0, maxKeys).map(async (key) => {
      const found = await stat(pathOf(key)).catch(nullIfDeleted);
      if (found === null) return [];
      const { size, mtime } = found;
      return [new S3Object(bucket, key, null, { "content-length": size, "last-modified": mtime.toUTCString() })];
    });
    return { objects: (await Promise.all(listed)).flat(), commonPrefixes: [], isTruncated: wanted.length > maxKeys };
  }

  #namesBelow(folder: string): Promise<readonly string[]> {
    // Without the slash at its end, as `forget` names it.
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
