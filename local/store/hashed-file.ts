import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { S3Error } from "./s3-error.ts";
import type { StoreRequest } from "./signature.ts";

/** Writes bytes to a new file. @returns their SHA-256, in hexadecimal digits */
export async function writeHashed(bytes: AsyncIterable<Buffer>, path: string): Promise<string> {
  const hash = createHash("sha256");
  async function* hashing(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  }
  await pipeline(bytes, hashing, createWriteStream(path));
  return hash.digest("hex");
}

/**
 * Writes the body of a request to a new file.
 *
 * @returns its SHA-256, in hexadecimal digits
 * @throws S3Error `BadDigest`, `XAmzContentSHA256Mismatch` if the request names another one. Other checksums, which SDKs add by
 *   themselves, are not compared; `NotImplemented` for a body in signed chunks
 */
export async function writeBody({ body, headers }: StoreRequest, path: string): Promise<string> {
  const payload = String(headers["x-amz-content-sha256"] ?? "");
  if (payload.startsWith("STREAMING-"))
    throw new S3Error("NotImplemented", "A body in chunks (aws-chunked) is not supported: send it as it is");
  const sha256 = await writeHashed(body, path);
  const expected = headers["x-amz-checksum-sha256"];
  if (expected !== undefined && expected !== Buffer.from(sha256, "hex").toString("base64"))
    throw new S3Error("BadDigest", "The SHA256 you specified did not match the calculated checksum.");
  if (/^[0-9a-f]{64}$/.test(payload) && payload !== sha256)
    throw new S3Error(
      "XAmzContentSHA256Mismatch",
      "The provided 'x-amz-content-sha256' header does not match what was computed.",
    );
  return sha256;
}
