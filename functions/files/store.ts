import { createHash, hash } from "node:crypto";
import * as environment from "../environment.ts";
import { StoreRefusal, sendToStore } from "./http-client.ts";
import { presignedUrl, type SignedRequest, type Signer } from "./presigned-url.ts";

/*
 * The bucket. Every request, the service's own too, goes to a presigned URL, so there is one implementation of
 * signatures and no S3 SDK in the bundles.
 */

/** The lifetime of presigned URLs that the service itself uses. */
const ownRequestSeconds = 60;

/** @throws Error if the environment has no credentials, which is a mistake of the deployment */
function signer(): Signer {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  const region = environment.stageRegion();
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY || !region) throw new Error("No AWS credentials or region");
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    sessionToken: AWS_SESSION_TOKEN || undefined,
    region,
  };
}

/** The URL of an object: at the bucket's host in its region, or below the bucket's name at another endpoint. */
function place(key: string): Pick<SignedRequest, "origin" | "path"> {
  const bucketName = environment.bucketName();
  const s3Endpoint = environment.s3Endpoint();
  return s3Endpoint === undefined
    ? { origin: `https://${bucketName}.s3.${environment.stageRegion()}.amazonaws.com`, path: `/${key}` }
    : { origin: new URL(s3Endpoint).origin, path: `/${[bucketName, key].filter(Boolean).join("/")}` };
}

/** An object of the bucket, as a copy names its source. */
export function copySource(key: string): string {
  return `/${environment.bucketName()}/${key}`;
}

/** A presigned URL of an object, or with an empty key of the bucket, for the service itself. */
export function ownUrl(key: string, request: Pick<SignedRequest, "method" | "query" | "headers">): string {
  return presignedUrl({ ...request, ...place(key), expiresInSeconds: ownRequestSeconds }, signer(), new Date());
}

/** An upload URL, and the headers to send with it. */
export interface Upload {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * An upload URL for exactly the bytes with this length and SHA-256: both are signed, and the store checks them. The store
 * responds with 412 if the object exists, which counts as uploaded.
 */
export function uploadUrl(
  object: { key: string; size: number; sha256: string },
  lifetimeSeconds: number,
  now: Date,
): Upload {
  const headers = {
    "content-length": String(object.size),
    "if-none-match": "*",
    "x-amz-checksum-sha256": Buffer.from(object.sha256, "hex").toString("base64"),
  };
  const query = { "x-id": "PutObject" };
  const request = { method: "PUT", ...place(object.key), query, headers, expiresInSeconds: lifetimeSeconds } as const;
  return { url: presignedUrl(request, signer(), now), headers };
}

/** A part of a multipart upload: its number, from 1 on, its length and its SHA-256. */
export interface Part {
  readonly number: number;
  readonly size: number;
  readonly sha256: string;
}

/** An upload URL for exactly the bytes of a part. */
export function partUrl(
  { key, uploadId, part }: { key: string; uploadId: string; part: Part },
  lifetimeSeconds: number,
  now: Date,
): Upload {
  const headers = {
    "content-length": String(part.size),
    "x-amz-checksum-sha256": Buffer.from(part.sha256, "hex").toString("base64"),
  };
  const query = { partNumber: String(part.number), uploadId, "x-id": "UploadPart" };
  const request = { method: "PUT", ...place(key), query, headers, expiresInSeconds: lifetimeSeconds } as const;
  return { url: presignedUrl(request, signer(), now), headers };
}

/**
 * A download URL; the store responds with these headers. S3 adds CORS headers only to the response to a request with an
 * Origin. A page that reads the bytes must not get the cached response to an image element, which has none, so the two get
 * different URLs. S3 ignores parameters that begin with `x-`.
 */
export function downloadUrl(
  object: { key: string; headers: Readonly<Record<string, string>>; hasOrigin: boolean },
  lifetimeSeconds: number,
  now: Date,
): string {
  const overrides = Object.entries(object.headers).map(([name, value]) => [`response-${name}`, value]);
  const query = { ...Object.fromEntries(overrides), "x-id": "GetObject", ...(object.hasOrigin && { "x-origin": "1" }) };
  return presignedUrl({ method: "GET", ...place(object.key), query, expiresInSeconds: lifetimeSeconds }, signer(), now);
}

/** A URL of an object for programs, which must send these headers. */
export function programUrl(key: string, headers: Upload["headers"], lifetimeSeconds: number, now: Date): string {
  const request = { method: "GET", ...place(key), headers, expiresInSeconds: lifetimeSeconds } as const;
  return presignedUrl(request, signer(), now);
}

/**
 * Reads an object.
 *
 * @throws Error if there is none; StorageUnavailableError if the store cannot be reached
 */
export async function readObject(key: string): Promise<Buffer> {
  return await sendToStore({ method: "GET", url: ownUrl(key, { method: "GET" }) });
}

const bytesPerRead = 8 * 1024 * 1024;

/**
 * Reads an object piece by piece; `maximum` bytes of it at most. Each piece is retried by itself.
 *
 * @throws StoreRefusal if there is none; StorageUnavailableError
 */
export async function* readInPieces(key: string, maximum = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  for (let start = 0; start < maximum; ) {
    const end = Math.min(start + bytesPerRead, maximum);
    const url = ownUrl(key, { method: "GET" });
    const request = { method: "GET", url, headers: { range: `bytes=${start}-${end - 1}` } } as const;
    const piece = await sendToStore(request).catch(emptyBehindEnd);
    if (piece.length > 0) yield piece;
    start += piece.length;
    if (start < end) return;
  }
}

/**
 * Reads the beginning of an object.
 *
 * @param maximum bytes, in one read
 * @throws StoreRefusal if there is none; StorageUnavailableError
 */
export async function readHead(key: string, maximum: number): Promise<Buffer> {
  for await (const piece of readInPieces(key, maximum)) return piece;
  return Buffer.alloc(0);
}

function emptyBehindEnd(error: unknown): Buffer {
  if (error instanceof StoreRefusal && error.status === 416) return Buffer.alloc(0);
  throw error;
}

/**
 * Reads an object and compares it with the SHA-256 in its key.
 *
 * @throws Error as `readObject`, and if the SHA-256 differs
 */
export async function readVerified(key: string, sha256: string): Promise<Buffer> {
  const bytes = await readObject(key);
  if (hash("sha256", bytes) !== sha256) throw new Error(`The content of ${key} has another SHA-256 than its key says`);
  return bytes;
}

/** Writes an object, unless it exists. The store checks the bytes. */
export async function writeObject(key: string, body: Buffer): Promise<void> {
  const sha256 = createHash("sha256").update(body).digest("hex");
  const { url, headers } = uploadUrl({ key, size: body.byteLength, sha256 }, ownRequestSeconds, new Date());
  await sendToStore({ method: "PUT", url, headers, body });
}

/** A presigned URL that deletes an object. Only the sweeper's role has the permission. */
export function deletionUrl(key: string, lifetimeSeconds: number, now: Date): string {
  return presignedUrl({ method: "DELETE", ...place(key), expiresInSeconds: lifetimeSeconds }, signer(), now);
}

/** Longer than usual, because many lists are requested in parallel. The functions that list have at least 29 s. */
const listAttemptMilliseconds = 6_500;

/** A stored object's key and length. */
export interface StoredObject {
  readonly key: string;
  readonly size: number;
}

/** Lists up to `maximum` (at most 1,000) objects in the order of their keys, from the first one after `startAfter`. */
export async function listObjects(list: {
  prefix: string;
  startAfter: string;
  maximum: number;
}): Promise<{ objects: StoredObject[]; isTruncated: boolean }> {
  const { prefix, startAfter, maximum } = list;
  const query = { "list-type": "2", "max-keys": String(maximum), prefix, "start-after": startAfter };
  const url = ownUrl("", { method: "GET", query });
  const response = await sendToStore({ method: "GET", url, attemptMilliseconds: listAttemptMilliseconds });
  const xml = response.toString();
  const contents = xml.matchAll(/<Key>([^<]*)<\/Key>.*?<Size>(\d+)<\/Size>/gs);
  return {
    objects: [...contents].map(([, key = "", size]) => ({ key, size: Number(size) })),
    isTruncated: xml.includes("<IsTruncated>true</IsTruncated>"),
  };
}
