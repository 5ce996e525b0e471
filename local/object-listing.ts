import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
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

/** Lists the objects right inside the folder that `prefix` names, in the order of their keys. */
export async function listFolder(
  directory: string,
  bucket: string,
  { prefix = "", startAfter = "", maxKeys = 1_000 }: ListOptions,
): Promise<Listing> {
  const folder = prefix.slice(0, prefix.lastIndexOf("/") + 1);
  const names = await readdir(join(directory, bucket, folder)).catch(() => []);
  const keys = names
    .filter((name) => name.endsWith(objectSuffix))
    .map((name) => folder + name.slice(0, -objectSuffix.length))
    .filter((key) => key > startAfter && key.startsWith(prefix))
    .sort();
  const listed = keys.slice(0, maxKeys);
  const objects = listed.map(async (key) => {
    const { size, mtime } = await stat(join(directory, bucket, key + objectSuffix));
    return new S3Object(bucket, key, null, { "content-length": size, "last-modified": mtime.toUTCString() });
  });
  return { objects: await Promise.all(objects), commonPrefixes: [], isTruncated: keys.length > maxKeys };
}

/** Whether {@link listFolder} can answer: others than the functions are left to s3rver's own listing. */
export function isOfOneFolder({ prefix = "", delimiter }: ListOptions): boolean {
  return prefix.endsWith("/") && delimiter === undefined;
}
