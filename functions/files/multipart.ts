import { limits } from "../../contract/api/limits.ts";
import { partSizes } from "../../contract/folder/content-hash.ts";
import { ConflictError } from "../conflict.ts";
import { StoreRefusal, sendToStore } from "./http-client.ts";
import { copySource, ownUrl, type Part } from "./store.ts";

/*
 * Multipart uploads. The store checks the SHA-256 of each part, and the service completes an upload with exactly those that it
 * knows: docs/decisions/0059-large-files-in-parts.md.
 */

/** A completion takes longer than other requests. */
const attemptMilliseconds = 12_000;
/** So does a copy. Its attempts must leave time for the requests after them. */
const copying = { attemptMilliseconds: 7_000, maximumAttempts: 2 };

/** Begins an upload whose parts have SHA-256 checksums; {@link findUploads} finds it. @returns its id */
export async function beginUpload(key: string): Promise<string> {
  const headers = { "x-amz-checksum-algorithm": "SHA256" };
  const url = ownUrl(key, { method: "POST", query: { uploads: "" }, headers });
  const response = (await sendToStore({ method: "POST", url, headers })).toString();
  return elementsIn(response, "UploadId")[0] ?? "";
}

/** The ids of the unfinished uploads of an object, the oldest first. */
export async function findUploads(key: string): Promise<string[]> {
  const uploads = (await unfinishedUploads(key)).filter((upload) => upload.key === key);
  return uploads.sort((a, b) => (a.begunAt + a.id < b.begunAt + b.id ? -1 : 1)).map(({ id }) => id);
}

/** An upload that has begun, whose parts are stored. */
interface UnfinishedUpload {
  readonly key: string;
  readonly id: string;
  readonly begunAt: string;
}

/** The unfinished uploads of all objects below a prefix. */
export async function unfinishedUploads(prefix: string): Promise<UnfinishedUpload[]> {
  const uploads: UnfinishedUpload[] = [];
  for (let after: Record<string, string> = {}; ; ) {
    const url = ownUrl("", { method: "GET", query: { uploads: "", prefix, ...after } });
    const response = (await sendToStore({ method: "GET", url })).toString();
    const element = (xml: string, name: string) => elementsIn(xml, name)[0] ?? "";
    for (const xml of elementsIn(response, "Upload"))
      uploads.push({
        key: element(xml, "Key"),
        id: element(xml, "UploadId"),
        begunAt: element(xml, "Initiated"),
      });
    if (element(response, "IsTruncated") !== "true") return uploads;
    after = {
      "key-marker": element(response, "NextKeyMarker"),
      "upload-id-marker": element(response, "NextUploadIdMarker"),
    };
  }
}

/** A part that is stored, with the store's own name for it. */
interface StoredPart extends Part {
  readonly etag: string;
}

/**
 * The parts of an upload that the store has.
 *
 * @throws ConflictError if the upload is gone
 */
export async function storedParts(key: string, uploadId: string): Promise<StoredPart[]> {
  const url = ownUrl(key, { method: "GET", query: { uploadId } });
  const response = (await sendToStore({ method: "GET", url }).catch(changedWhereEnded)).toString();
  return elementsIn(response, "Part").map((xml) => ({
    number: Number(elementsIn(xml, "PartNumber")[0]),
    size: Number(elementsIn(xml, "Size")[0]),
    sha256: Buffer.from(elementsIn(xml, "ChecksumSHA256")[0] ?? "", "base64").toString("hex"),
    etag: elementsIn(xml, "ETag")[0] ?? "",
  }));
}

/** Source of a part's bytes: an object, from an offset on. */
interface CopySource {
  readonly key: string;
  readonly offset: number;
}

/**
 * Has the store copy a part from an object (UploadPartCopy). Which bytes it got, the returned checksum and {@link storedParts} tell. An object is copied as it was at one moment, or not at all.
 *
 * @throws StoreRefusal if there is no such object or range; StorageUnavailableError
 */
export async function copyPart(
  { key, uploadId, number, size }: { key: string; uploadId: string; number: number; size: number },
  source: CopySource,
): Promise<StoredPart> {
  const headers = {
    "x-amz-copy-source": copySource(source.key),
    "x-amz-copy-source-range": `bytes=${source.offset}-${source.offset + size - 1}`,
  };
  const url = ownUrl(key, { method: "PUT", query: { partNumber: String(number), uploadId }, headers });
  const sent = { method: "PUT", url, headers: { ...headers, "content-length": "0" }, ...copying } as const;
  const response = (await sendToStore(sent)).toString();
  const sha256 = Buffer.from(elementsIn(response, "ChecksumSHA256")[0] ?? "", "base64").toString("hex");
  return { number, size, sha256, etag: elementsIn(response, "ETag")[0] ?? "" };
}

/**
 * Makes an object of the bytes of a larger one than the store's smallest part, unless it exists. It takes exactly the parts that it copied
 * itself, whatever others send to the same upload.
 *
 * @throws ConflictError as {@link completeUpload}; StoreRefusal; StorageUnavailableError
 */
export async function copyObject(from: string, to: { readonly key: string; readonly size: number }): Promise<void> {
  const uploadId = await beginUpload(to.key);
  try {
    const parts = await Promise.all(
      partSizes(to.size, limits.maxBytesPerPart).map((size, index) =>
        copyPart(
          { key: to.key, uploadId, number: index + 1, size },
          { key: from, offset: index * limits.maxBytesPerPart },
        ),
      ),
    );
    await completeUpload(to.key, uploadId, parts);
  } catch (error) {
    await abortUpload(to.key, uploadId);
    throw error;
  }
}

/**
 * Makes the object of these parts, unless it exists. The store compares each with what it has.
 *
 * @throws ConflictError if the upload is gone: another request has completed it, or this one whose response was lost; or if a part was
 *   replaced since it was listed, which a copy of another request can do
 */
export async function completeUpload(key: string, uploadId: string, parts: readonly StoredPart[]): Promise<void> {
  const headers = { "if-none-match": "*" };
  const url = ownUrl(key, { method: "POST", query: { uploadId }, headers });
  const body = Buffer.from(
    `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts
      .map(({ number, etag, sha256 }) => {
        const checksum = Buffer.from(sha256, "hex").toString("base64");
        return `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag><ChecksumSHA256>${checksum}</ChecksumSHA256></Part>`;
      })
      .join("")}</CompleteMultipartUpload>`,
  );
  const length = { "content-length": String(body.byteLength), "content-type": "application/xml" };
  const request = { method: "POST", url, headers: { ...headers, ...length }, body, attemptMilliseconds } as const;
  await sendToStore(request).catch(changedWhereReplaced);
}

/** Ends an upload and deletes its parts. One that is gone has ended. */
export async function abortUpload(key: string, uploadId: string): Promise<void> {
  const url = ownUrl(key, { method: "DELETE", query: { uploadId } });
  await sendToStore({ method: "DELETE", url }).catch((error: unknown) => {
    if (!(error instanceof StoreRefusal && error.status === 404)) throw error;
  });
}

function changedWhereEnded(error: unknown): never {
  throw error instanceof StoreRefusal && error.status === 404 ? new ConflictError() : error;
}

function changedWhereReplaced(error: unknown): never {
  throw error instanceof StoreRefusal && error.code === "InvalidPart" ? new ConflictError() : changedWhereEnded(error);
}

/** The content of elements as it is in the XML: an ETag keeps its escaped quotation marks. */
function elementsIn(xml: string, name: string): string[] {
  return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, "gs"))].map(([, content = ""]) => content);
}
