import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { copiedBytes } from "./copy-source.ts";
import { writeBody, writeHashed } from "./hashed-file.ts";
import type { ObjectFolder } from "./object-folder.ts";
import { refuseUnconditionalWrite } from "./object-requests.ts";
import { S3Error } from "./s3-error.ts";
import type { StoreRequest } from "./signature.ts";
import { element, text } from "./xml.ts";

/*
 * Multipart uploads with the SHA-256 of each part, as S3 documents them
 * (https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html).
 */

/** Upload in progress: its parts' folder, and the object that they become. */
interface Upload {
  readonly id: string;
  readonly folder: string;
  readonly key: string;
}

interface StoredPart {
  readonly number: number;
  readonly size: number;
  readonly sha256: string;
  readonly path: string;
}

/** S3's least length of each part but the last. */
const minPartBytes = 5 * 1024 * 1024;

/** Uploads in one list of S3, its maximum. */
const uploadsPerPage = 1_000;

/** The unfinished uploads of a bucket. */
export class MultipartUploads {
  readonly #objects: ObjectFolder;
  readonly #folder: string;
  /** The completion of each upload that is running. */
  readonly #completions = new Map<string, Promise<unknown>>();

  constructor(objects: ObjectFolder) {
    this.#objects = objects;
    this.#folder = join(objects.path, "._uploads");
  }

  /** @returns the XML of the response */
  async respond(request: StoreRequest): Promise<string> {
    const { method, query, key } = request;
    const id = query.get("uploadId");
    if (id === null) return method === "POST" ? await this.#begin(request) : await this.#list(query);
    if (method === "POST")
      return await this.#inTurn(id, async () => await this.#complete(request, await this.#find(key, id)));
    return await this.#respondOf(request, await this.#find(key, id));
  }

  async #respondOf(request: StoreRequest, upload: Upload): Promise<string> {
    switch (request.method) {
      case "PUT":
        return "x-amz-copy-source" in request.headers
          ? await copyPart(request, upload, this.#objects)
          : await sendPart(request, upload);
      case "GET":
        return element("ListPartsResult", ...(await partsOf(upload)).map(partElement));
      case "DELETE":
        await rm(upload.folder, { recursive: true, force: true });
        request.response.statusCode = 204;
        return "";
      default:
        throw new S3Error("MethodNotAllowed", "The specified method is not allowed against this resource.");
    }
  }

  async #begin({ bucket, key, headers }: StoreRequest): Promise<string> {
    if (headers["x-amz-checksum-algorithm"] !== "SHA256")
      throw new S3Error("NotImplemented", "Only uploads with SHA256 checksums are supported");
    const id = randomUUID();
    const folder = join(this.#folder, id);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "key"), key);
    return element("InitiateMultipartUploadResult", text("Bucket", bucket), text("Key", key), text("UploadId", id));
  }

  /** ListMultipartUploads, in the order of keys and ids. */
  async #list(query: URLSearchParams): Promise<string> {
    const prefix = query.get("prefix") ?? "";
    const after = `${query.get("key-marker") ?? ""} ${query.get("upload-id-marker") ?? ""}`;
    const ids = await readdir(this.#folder).catch(() => []);
    const listed = ids.map(async (id) => {
      const path = join(this.#folder, id, "key");
      const upload = await Promise.all([readFile(path, "utf8"), stat(path)]).catch(() => undefined);
      if (upload === undefined || !upload[0].startsWith(prefix)) return [];
      const [key, { mtime }] = upload;
      return [{ key, id, at: mtime.toISOString() }];
    });
    const all = (await Promise.all(listed)).flat().filter(({ key, id }) => `${key} ${id}` > after);
    const sorted = all.sort((a, b) => (`${a.key} ${a.id}` < `${b.key} ${b.id}` ? -1 : 1));
    const page = sorted.slice(0, uploadsPerPage);
    const last = page.at(-1);
    return element(
      "ListMultipartUploadsResult",
      text("IsTruncated", sorted.length > page.length),
      ...(last ? [text("NextKeyMarker", last.key), text("NextUploadIdMarker", last.id)] : []),
      ...page.map(({ key, id, at }) =>
        element("Upload", text("Key", key), text("UploadId", id), text("Initiated", at)),
      ),
    );
  }

  async #find(key: string, id: string): Promise<Upload> {
    const folder = join(this.#folder, id);
    const isKnown = /^[0-9a-f-]{36}$/.test(id) && (await readFile(join(folder, "key"), "utf8").catch(() => "")) === key;
    if (!isKnown) throw new S3Error("NoSuchUpload", "The specified upload does not exist.");
    return { id, folder, key };
  }

  /** Completes an upload once: a second completion waits for the first, and finds no upload then. */
  async #inTurn(uploadId: string, complete: () => Promise<string>): Promise<string> {
    const previous = this.#completions.get(uploadId) ?? Promise.resolve();
    const completion = previous.then(complete, complete);
    this.#completions.set(uploadId, completion);
    try {
      return await completion;
    } finally {
      if (this.#completions.get(uploadId) === completion) this.#completions.delete(uploadId);
    }
  }

  async #complete(request: StoreRequest, upload: Upload): Promise<string> {
    refuseUnconditionalWrite(request);
    const named = [...(await buffer(request.body)).toString().matchAll(/<Part>.*?<\/Part>/gs)].map(([xml]) => xml);
    const stored = await partsOf(upload);
    assertComplete(named, stored);
    const { etag } = await this.#objects.write(upload.key, (path) => concatenate(stored, path), stored[0]?.size);
    await rm(upload.folder, { recursive: true, force: true });
    return element(
      "CompleteMultipartUploadResult",
      ...[text("Bucket", request.bucket), text("Key", upload.key), text("ETag", etag)],
    );
  }
}

/** UploadPart. */
async function sendPart(request: StoreRequest, upload: Upload): Promise<string> {
  if (request.headers["x-amz-checksum-sha256"] === undefined)
    throw new S3Error(
      "InvalidRequest",
      "The upload was created with a SHA256 checksum: each part needs x-amz-checksum-sha256",
    );
  const { etag, checksum } = await storePart(request, upload, (path) => writeBody(request, path));
  request.response.setHeader("etag", etag).setHeader("x-amz-checksum-sha256", checksum);
  return "";
}

/** UploadPartCopy. */
async function copyPart(request: StoreRequest, upload: Upload, objects: ObjectFolder): Promise<string> {
  const bytes = await copiedBytes(request, objects);
  const { etag, checksum } = await storePart(request, upload, (path) => writeHashed(bytes, path));
  const modified = text("LastModified", new Date().toISOString());
  return element("CopyPartResult", text("ETag", etag), modified, text("ChecksumSHA256", checksum));
}

/** A part is written completely or not at all; one that is sent again takes the place of the one before. */
async function storePart({ query }: StoreRequest, { folder }: Upload, write: (path: string) => Promise<string>) {
  const number = Number(query.get("partNumber"));
  if (!(Number.isInteger(number) && number >= 1 && number <= 10_000))
    throw new S3Error("InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive");
  const temporary = join(folder, randomUUID());
  try {
    const sha256 = await write(temporary);
    for (const earlier of await partsOf({ folder }))
      if (earlier.number === number && earlier.sha256 !== sha256) await rm(earlier.path, { force: true });
    await rename(temporary, join(folder, `${number}-${sha256}`));
    return { etag: etagOf(sha256), checksum: checksumOf(sha256) };
  } finally {
    await rm(temporary, { force: true });
  }
}

const etagOf = (sha256: string) => `"${sha256}"`;
const checksumOf = (sha256: string) => Buffer.from(sha256, "hex").toString("base64");

async function partsOf({ folder }: Pick<Upload, "folder">): Promise<StoredPart[]> {
  const names = (await readdir(folder)).flatMap((name) => {
    const [, number, sha256 = ""] = /^(\d+)-([0-9a-f]{64})$/.exec(name) ?? [];
    return number === undefined ? [] : [{ number: Number(number), sha256, path: join(folder, name) }];
  });
  const parts = names.map(async (part) => ({ ...part, size: (await stat(part.path)).size }));
  return (await Promise.all(parts)).sort((a, b) => a.number - b.number);
}

function partElement({ number, size, sha256 }: StoredPart): string {
  const names = [text("PartNumber", number), text("ETag", etagOf(sha256)), text("Size", size)];
  return element("Part", ...names, text("ChecksumSHA256", checksumOf(sha256)));
}

/** @throws S3Error `InvalidPart`, `EntityTooSmall` */
function assertComplete(named: readonly string[], stored: readonly StoredPart[]): void {
  const isSame = (xml: string, part: StoredPart | undefined) =>
    part !== undefined &&
    valueIn(xml, "PartNumber") === String(part.number) &&
    valueIn(xml, "ETag")?.replaceAll(/"|&quot;|&#34;/g, "") === part.sha256 &&
    valueIn(xml, "ChecksumSHA256") === checksumOf(part.sha256);
  if (named.length === 0 || named.length !== stored.length || !named.every((xml, index) => isSame(xml, stored[index])))
    throw new S3Error("InvalidPart", "One or more of the specified parts could not be found.");
  if (stored.slice(0, -1).some(({ size }) => size < minPartBytes))
    throw new S3Error("EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size");
}

function valueIn(xml: string, name: string): string | undefined {
  return new RegExp(`<${name}>(.*?)</${name}>`, "s").exec(xml)?.[1];
}

async function concatenate(parts: readonly StoredPart[], path: string): Promise<void> {
  for (const part of parts) await pipeline(createReadStream(part.path), createWriteStream(path, { flags: "a" }));
}
