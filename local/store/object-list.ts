import type { ObjectFolder } from "./object-folder.ts";
import { S3Error } from "./s3-error.ts";
import type { StoreRequest } from "./signature.ts";
import { element, text } from "./xml.ts";

/** S3's most keys of one response. */
const pageSize = 1_000;

/** ListObjectsV2, and ListObjects, whose `marker` is a key. */
export async function listObjects({ bucket, query }: StoreRequest, objects: ObjectFolder): Promise<string> {
  const value = (name: string) => query.get(name) ?? "";
  const prefix = value("prefix");
  const maxKeys = Math.min(Number(query.get("max-keys") ?? pageSize), pageSize);
  const { keys, commonPrefixes, continuesAfter } = await objects.list({
    prefix,
    after: value("start-after"),
    continuesAfter: value("marker") || Buffer.from(value("continuation-token"), "base64url").toString(),
    maxKeys,
    delimiter: value("delimiter"),
  });
  const contents = await Promise.all(keys.map((key) => objectElement(objects, key)));
  return element(
    "ListBucketResult",
    text("Name", bucket),
    text("Prefix", prefix),
    text("KeyCount", keys.length + commonPrefixes.length),
    text("MaxKeys", maxKeys),
    text("IsTruncated", continuesAfter !== undefined),
    ...(continuesAfter === undefined ? [] : next(continuesAfter)),
    ...contents,
    ...commonPrefixes.map((each) => element("CommonPrefixes", text("Prefix", each))),
  );
}

function next(continuesAfter: string): string[] {
  const token = Buffer.from(continuesAfter).toString("base64url");
  return [text("NextContinuationToken", token), text("NextMarker", continuesAfter)];
}

/** Nothing of an object that was deleted since its name was read. */
async function objectElement(objects: ObjectFolder, key: string): Promise<string> {
  try {
    const { size, modified, etag } = await objects.find(key);
    const times = text("LastModified", modified.toISOString());
    return element("Contents", text("Key", key), times, text("ETag", etag), text("Size", size));
  } catch (error) {
    if (error instanceof S3Error && error.code === "NoSuchKey") return "";
    throw error;
  }
}
