import { pipeline } from "node:stream/promises";
import { type ByteRange, rangeOfHeader } from "./byte-range.ts";
import { writeBody } from "./hashed-file.ts";
import { type ObjectFolder, readBytes, type StoredObject } from "./object-folder.ts";
import { S3Error } from "./s3-error.ts";
import type { StoreRequest } from "./signature.ts";

/*
 * PutObject, GetObject, HeadObject and DeleteObject. An object has its bytes, and no content type or metadata.
 */

/** @throws S3Error as {@link writeBody} and {@link ObjectFolder.write} */
export async function putObject(request: StoreRequest, objects: ObjectFolder): Promise<void> {
  if ("x-amz-copy-source" in request.headers)
    throw new S3Error("NotImplemented", "Only parts are copied: UploadPartCopy");
  const { etag } = await objects.write(request.key, (path) => writeBody(request, path));
  const checksum = request.headers["x-amz-checksum-sha256"];
  if (checksum !== undefined) request.response.setHeader("x-amz-checksum-sha256", checksum);
  request.response.setHeader("etag", etag).end();
}

/**
 * The bucket's policy (infra/storage/bucket.ts): a write may only create an object. S3 supports only the condition `*`
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html).
 */
export function refuseUnconditionalWrite({ headers }: StoreRequest): void {
  const condition = headers["if-none-match"];
  if (condition === undefined) throw new S3Error("AccessDenied", "An upload needs If-None-Match: *");
  if (condition !== "*") throw new S3Error("NotImplemented", "If-None-Match takes * alone");
}

/** @throws S3Error `NoSuchKey`, `InvalidRange` */
export async function getObject(
  { key, method, query, headers, response }: StoreRequest,
  objects: ObjectFolder,
): Promise<void> {
  const object = await objects.find(key);
  const range = query.has("partNumber")
    ? rangeOfPart(query.get("partNumber"), object.size, await objects.bytesPerPart(key))
    : rangeOfHeader(headers.range, object.size);
  if (range === null) throw new S3Error("InvalidRange", "The requested range is not satisfiable");
  response.writeHead(range === undefined ? 200 : 206, { ...headersOf(object, range), ...overridden(query) });
  if (method === "HEAD" || object.size === 0) response.end();
  else await pipeline(readBytes(object, range), response);
}

/** The bytes of a part; an object that was not sent in parts has one. Null if it has no such part. */
function rangeOfPart(part: string | null, size: number, bytesPerPart = size): ByteRange | null {
  const start = (Number(part) - 1) * bytesPerPart;
  return start >= 0 && start < size ? { start, end: Math.min(start + bytesPerPart, size) - 1 } : null;
}

function headersOf({ size, modified, etag }: StoredObject, range: ByteRange | undefined) {
  return {
    "accept-ranges": "bytes",
    "content-type": "binary/octet-stream",
    etag,
    "last-modified": modified.toUTCString(),
    "content-length": range === undefined ? size : range.end - range.start + 1,
    ...(range && { "content-range": `bytes ${range.start}-${range.end}/${size}` }),
  };
}

/** The headers that a signed URL names, such as `response-content-type`. */
function overridden(query: URLSearchParams): Record<string, string> {
  const named = [...query].filter(([name]) => name.startsWith("response-"));
  return Object.fromEntries(named.map(([name, value]) => [name.slice("response-".length), value]));
}

/** Succeeds if there is no such object. */
export async function deleteObject({ key, response }: StoreRequest, objects: ObjectFolder): Promise<void> {
  await objects.delete(key);
  response.writeHead(204).end();
}
