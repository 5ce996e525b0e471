import type { ByteRange } from "./byte-range.ts";
import { type ObjectFolder, readBytes, type StoredObject } from "./object-folder.ts";
import { S3Error } from "./s3-error.ts";
import type { StoreRequest } from "./signature.ts";

/*
 * Source that UploadPartCopy copies: an object of the same bucket, or a range of it (Amazon S3 API Reference, "UploadPartCopy").
 */

const mebibyte = 1024 * 1024;
/** S3 copies a range only of an object that has more bytes. */
const minRangedBytes = 5 * mebibyte;
const maxPartBytes = 5 * 1024 * mebibyte;

/**
 * The bytes that a request wants to have copied.
 *
 * @throws S3Error `NoSuchKey`; `NoSuchBucket` for another bucket; `PreconditionFailed` if the object has another ETag than
 *   `x-amz-copy-source-if-match`; `InvalidArgument` for a range that is none of it; `InvalidRequest` for a range of a small object, and for
 *   more bytes than a part has; `NotImplemented` for other conditions and for versions
 */
export async function copiedBytes(
  { bucket, headers }: StoreRequest,
  objects: ObjectFolder,
): Promise<AsyncIterable<Buffer>> {
  const header = (name: string) => headers[`x-amz-copy-source${name}`]?.toString();
  const others = Object.keys(headers).filter((name) => /^x-amz-copy-source-(?!range$|if-match$)/.test(name));
  if (others.length > 0) throw new S3Error("NotImplemented", `These headers are not supported: ${others}`);
  const object = await objects.find(keyOf(header("") ?? "", bucket));
  const condition = header("-if-match");
  if (condition !== undefined && unquoted(condition) !== unquoted(object.etag))
    throw new S3Error("PreconditionFailed", "At least one of the pre-conditions you specified did not hold");
  const range = rangeOf(header("-range"), object);
  if ((range ? range.end - range.start + 1 : object.size) > maxPartBytes)
    throw new S3Error(
      "InvalidRequest",
      `The specified copy source is larger than the maximum allowable size for a copy source: ${maxPartBytes}`,
    );
  return readBytes(object, range);
}

/** The source is `/bucket/key` or `bucket/key`, percent-encoded. */
function keyOf(source: string, bucket: string): string {
  const [path = "", version] = source.split("?");
  if (version !== undefined) throw new S3Error("NotImplemented", "The bucket has no versions");
  const [sourceBucket, ...key] = decodeURIComponent(path).replace(/^\//, "").split("/");
  if (sourceBucket !== bucket) throw new S3Error("NoSuchBucket", "The specified bucket does not exist");
  return key.join("/");
}

function rangeOf(header: string | undefined, { size }: StoredObject): ByteRange | undefined {
  if (header === undefined) return undefined;
  const [, start, end] = (/^bytes=(\d+)-(\d+)$/.exec(header) ?? []).map(Number);
  if (start === undefined || end === undefined || start > end)
    throw new S3Error(
      "InvalidArgument",
      "The x-amz-copy-source-range value must be of the form bytes=first-last where first and last are the zero-based offsets of the first and last bytes to copy",
    );
  if (end >= size)
    throw new S3Error("InvalidArgument", `Range specified is not valid for source object of size: ${size}`);
  if (size <= minRangedBytes)
    throw new S3Error("InvalidRequest", "The specified copy source is not supported as a byte-range copy source");
  return { start, end };
}

function unquoted(etag: string): string {
  return etag.replace(/^"(.*)"$/, "$1");
}
