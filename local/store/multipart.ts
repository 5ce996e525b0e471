import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { link, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import type S3rver from "@20minutes/s3rver";
import authentication from "@20minutes/s3rver/lib/middleware/authentication.js";
import cors from "@20minutes/s3rver/lib/middleware/cors.js";
import S3Error from "@20minutes/s3rver/lib/models/error.js";
import { objectSuffix } from "./object-listing.ts";
import { refuseOverwriting } from "./s3-rules.ts";

/*
 * Multipart uploads with the SHA-256 of each part, as S3 documents them. s3rver's own know no checksum, no condition at the
 * completion, and cannot list what was sent (https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html).
 */

type Middleware = S3rver["middleware"][number];
type Context = Parameters<Middleware>[0];

/** Where an upload's parts are, and the object that they become. */
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
const leastPartBytes = 5 * 1024 * 1024;

/** @param written is told the path of each object that an upload became */
export function multipartUploads(directory: string, written: (path: string) => void): Middleware {
  const [addCorsHeaders, authenticate] = [cors(), authentication()];
  return async (context, next) => {
    const { uploads, uploadId } = context.query;
    if (context.method === "OPTIONS" || (uploads === undefined && uploadId === undefined)) return await next();
    const [, bucket = "", ...rest] = decodeURIComponent(context.path).split("/");
    const key = rest.join("/");
    context.params = { bucket, key };
    await addCorsHeaders(context, () =>
      authenticate(context, async () => {
        const bucketFolder = join(directory, bucket);
        context.type = "application/xml";
        context.body =
          uploadId === undefined
            ? await begunUploads(context, bucketFolder, key)
            : await inTurn(String(uploadId), context.method === "POST", async () =>
                withUpload(context, await findUpload(bucketFolder, key, String(uploadId)), { bucketFolder, written }),
              );
      }),
    );
  };
}

/** The completion of each upload that is running. */
const completions = new Map<string, Promise<unknown>>();

/** Completes an upload once: a second completion waits for the first, and finds no upload then. */
async function inTurn(uploadId: string, isCompletion: boolean, respond: () => Promise<string>): Promise<string> {
  if (!isCompletion) return await respond();
  const before = completions.get(uploadId) ?? Promise.resolve();
  const own = before.then(respond, respond);
  completions.set(uploadId, own);
  try {
    return await own;
  } finally {
    if (completions.get(uploadId) === own) completions.delete(uploadId);
  }
}

function foldersOf(bucketFolder: string): string {
  return join(bucketFolder, "._uploads");
}

async function begunUploads(context: Context, bucketFolder: string, key: string): Promise<string> {
  if (context.method === "POST") return await begin(context, bucketFolder, key);
  const prefix = String(context.query["prefix"] ?? "");
  const ids = await readdir(foldersOf(bucketFolder)).catch(() => []);
  const listed = ids.map(async (id) => {
    const path = join(foldersOf(bucketFolder), id, "key");
    const found = await Promise.all([readFile(path, "utf8"), stat(path)]).catch(() => undefined);
    if (found === undefined) return "";
    const [name, { mtime }] = found;
    const content = element("Key", name) + element("UploadId", id) + element("Initiated", mtime.toISOString());
    return name.startsWith(prefix) ? element("Upload", content) : "";
  });
  return element("ListMultipartUploadsResult", (await Promise.all(listed)).join(""));
}

async function begin({ headers }: Context, bucketFolder: string, key: string): Promise<string> {
  if (headers["x-amz-checksum-algorithm"] !== "SHA256")
    throw new S3Error("NotImplemented", "Only uploads with SHA256 checksums are supported");
  const id = randomUUID();
  const folder = join(foldersOf(bucketFolder), id);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "key"), key);
  return element("InitiateMultipartUploadResult", element("Key", key) + element("UploadId", id));
}

async function findUpload(bucketFolder: string, key: string, id: string): Promise<Upload> {
  const folder = join(foldersOf(bucketFolder), id);
  const isKnown = /^[0-9a-f-]{36}$/.test(id) && (await readFile(join(folder, "key"), "utf8").catch(() => "")) === key;
  if (!isKnown) throw new S3Error("NoSuchUpload", "The specified upload does not exist.");
  return { id, folder, key };
}

async function withUpload(
  context: Context,
  upload: Upload,
  store: { bucketFolder: string; written: (path: string) => void },
): Promise<string> {
  switch (context.method) {
    case "PUT":
      return await storePart(context, upload);
    case "GET":
      return element("ListPartsResult", (await partsOf(upload)).map(partElement).join(""));
    case "DELETE":
      await rm(upload.folder, { recursive: true, force: true });
      context.status = 204;
      return "";
    default:
      return await complete(context, upload, store);
  }
}

/** A part is written completely or not at all; one that is sent again takes the place of the one before. */
async function storePart(context: Context, { folder }: Upload): Promise<string> {
  const number = Number(context.query["partNumber"]);
  if (!(number >= 1 && number <= 10_000)) throw new S3Error("InvalidArgument", "Part number must be 1 to 10,000");
  const temporary = join(folder, randomUUID());
  const hash = createHash("sha256");
  async function* hashing(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  }
  try {
    await pipeline(context.req, hashing, createWriteStream(temporary));
    const digest = hash.digest();
    if (context.headers["x-amz-checksum-sha256"] !== digest.toString("base64"))
      throw new S3Error("BadDigest", "The SHA256 you specified did not match the calculated checksum.");
    const sha256 = digest.toString("hex");
    await rename(temporary, join(folder, `${number}-${sha256}`));
    context.set("etag", `"${sha256}"`);
    return "";
  } finally {
    await rm(temporary, { force: true });
  }
}

async function partsOf({ folder }: Upload): Promise<StoredPart[]> {
  const names = (await readdir(folder)).flatMap((name) => {
    const [, number, sha256 = ""] = /^(\d+)-([0-9a-f]{64})$/.exec(name) ?? [];
    return number === undefined ? [] : [{ number: Number(number), sha256, path: join(folder, name) }];
  });
  const parts = names.map(async (part) => ({ ...part, size: (await stat(part.path)).size }));
  return (await Promise.all(parts)).sort((a, b) => a.number - b.number);
}

function partElement({ number, size, sha256 }: StoredPart): string {
  const checksum = Buffer.from(sha256, "hex").toString("base64");
  const content = `${element("PartNumber", number)}${element("ETag", `&quot;${sha256}&quot;`)}${element("Size", size)}`;
  return element("Part", content + element("ChecksumSHA256", checksum));
}

async function complete(
  { req, headers }: Context,
  upload: Upload,
  { bucketFolder, written }: { bucketFolder: string; written: (path: string) => void },
): Promise<string> {
  if (headers["if-none-match"] !== "*") throw new S3Error("AccessDenied", "Access Denied");
  const asked = [...(await buffer(req)).toString().matchAll(/<Part>.*?<\/Part>/gs)].map(([xml]) => xml);
  const stored = await partsOf(upload);
  const isStored = asked.every((xml, index) => {
    const part = stored[index];
    return part !== undefined && ["PartNumber", "ETag", "ChecksumSHA256"].every((name) => sameElement(xml, part, name));
  });
  if (!isStored || asked.length === 0 || asked.length !== stored.length)
    throw new S3Error("InvalidPart", "One or more of the specified parts could not be found.");
  if (stored.slice(0, -1).some(({ size }) => size < leastPartBytes))
    throw new S3Error("EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size");
  const path = join(bucketFolder, upload.key + objectSuffix);
  await mkdir(dirname(path), { recursive: true });
  const temporary = join(upload.folder, "object");
  for (const [index, part] of stored.entries())
    await pipeline(createReadStream(part.path), createWriteStream(temporary, { flags: index === 0 ? "w" : "a" }));
  await link(temporary, path).catch(refuseOverwriting);
  await writeFile(`${path}.md5`, `${upload.id.replaceAll("-", "")}-${stored.length}`);
  written(path);
  await rm(upload.folder, { recursive: true, force: true });
  return element("CompleteMultipartUploadResult", element("Key", upload.key));
}

function sameElement(xml: string, part: StoredPart, name: string): boolean {
  const valueIn = (text: string) => new RegExp(`<${name}>(.*?)</${name}>`, "s").exec(text)?.[1];
  return valueIn(xml) === valueIn(partElement(part));
}

function element(name: string, content: string | number): string {
  return `<${name}>${content}</${name}>`;
}
