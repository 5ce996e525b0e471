import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import S3Object from "@20minutes/s3rver/lib/models/object.js";

/*
 * ListObjectsV2 as the functions use it: of one folder, from a key on. s3rver's own looks at every file of the folder at
 * each call, and fails where there is more to list, because OpenSSL 3 has no DES for its continuation token.
 */

export interface ListOptions {
  readonly prefix?: string;
  readonly startAfter?: string;
  readonly maxKeys?: number;
  readonly delimiter?: string;
}

export interface Listing {
  readonly objects: readonly S3Object[];
  readonly commonPrefixes: readonly string[];
  readonly isTruncated: boolean;
}

const objectSuffix = "._S3rver_object";

/**
 * The folders of a store that this process alone writes. A folder is read once for all lists until something is written
 * into it: reading 20,000 objects' names takes longer than anything else here.
 */
export class FolderListings {
  readonly #directory: string;
  readonly #names = new Map<string, Promise<readonly string[]>>();

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** To be called once an object stands at this path. */
  forget(objectPath: string): void {
    this.#names.delete(dirname(objectPath));
  }

  /** Lists the objects right inside the folder that `prefix` names, in the order of their keys. */
  async list(bucket: string, { prefix = "", startAfter = "", maxKeys = 1_000 }: ListOptions): Promise<Listing> {
    const folder = prefix.slice(0, prefix.lastIndexOf("/"));
    const path = join(this.#directory, bucket, folder);
    const wanted = (await this.#namesIn(path)).filter((name) => `${folder}/${name}` > startAfter);
    const objects = wanted.slice(0, maxKeys).map(async (name) => {
      const { size, mtime } = await stat(join(path, name + objectSuffix));
      const metadata = { "content-length": size, "last-modified": mtime.toUTCString() };
      return new S3Object(bucket, `${folder}/${name}`, null, metadata);
    });
    return { objects: await Promise.all(objects), commonPrefixes: [], isTruncated: wanted.length > maxKeys };
  }

  #namesIn(path: string): Promise<readonly string[]> {
    const names = this.#names.get(path) ?? objectNames(path);
    this.#names.set(path, names);
    return names;
  }
}

async function objectNames(folder: string): Promise<string[]> {
  const files = await readdir(folder).catch(() => []);
  return files
    .filter((file) => file.endsWith(objectSuffix))
    .map((file) => file.slice(0, -objectSuffix.length))
    .sort();
}

/** Whether {@link FolderListings} can answer: a folder of files has no folders in it. All else is left to s3rver. */
export function isOfOneFolder({ prefix = "", delimiter }: ListOptions): boolean {
  return prefix.endsWith("/files/") && delimiter === undefined;
}
