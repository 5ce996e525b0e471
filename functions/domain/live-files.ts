import { contentTypeOf } from "../../contract/content-types.ts";
import { readManifest } from "../files/manifests.ts";
import { fileKey } from "../files/object-keys.ts";
import { downloadUrl, readVerified } from "../files/store.ts";
import { findProject } from "./projects.ts";
import { ServiceError } from "./service-error.ts";

/** A file of what visitors see now: either its bytes come from here, or from the address. */
export type LiveFile =
  | { readonly kind: "inline"; readonly sha256: string; readonly contentType: string; read(): Promise<Buffer> }
  | { readonly kind: "elsewhere"; readonly address: string };

/** A function's response has at most 6 MB, of which base64 takes a quarter. */
const inlineBytes = 4 * 1024 * 1024;
const downloadLifetimeSeconds = 900;
/** Within this time an address stays the same, so a browser that has the file already does not load it again. */
const downloadWindowSeconds = 300;

/**
 * Finds a file of the live release of a project; a path that ends with `/` means its `index.html`. Documents, and what
 * refers to other files by relative address, come from the project's own address, so that the references lead back
 * there; all else, and what is larger than 4 MiB, from the store's.
 *
 * @throws ServiceError `project_not_found`, `file_not_found`
 */
export async function findLiveFile(
  slug: string,
  { path: requestedPath, hasOrigin }: { path: string; hasOrigin: boolean },
  now: Date,
): Promise<LiveFile> {
  const { currentRelease } = await findProject(slug);
  if (currentRelease === undefined)
    throw new ServiceError("file_not_found", { detail: "This project has no live release yet." });
  const path = requestedPath.normalize("NFC").replace(/(^|\/)$/, "$1index.html");
  const file = (await readManifest(slug, currentRelease.manifest)).find(path);
  if (file === undefined) throw new ServiceError("file_not_found");
  const { sha256, size } = file;
  const key = fileKey(slug, sha256);
  const { type, isInline } = contentTypeOf(path);
  if (isInline && size <= inlineBytes)
    return { kind: "inline", sha256, contentType: type, read: () => readVerified(key, sha256) };
  return { kind: "elsewhere", address: downloadUrlOf({ key, path, hasOrigin }, now) };
}

/**
 * The store's host has no sandbox, so a document from there is saved, not opened. What the uploader said of the bytes
 * counts for nothing: an upload URL proves the bytes alone, and outlives the token that it was asked with.
 */
function downloadUrlOf({ key, path, hasOrigin }: { key: string; path: string; hasOrigin: boolean }, now: Date): string {
  const { type, isDocument } = contentTypeOf(path);
  const windowMilliseconds = downloadWindowSeconds * 1_000;
  const signedAt = new Date(Math.floor(now.getTime() / windowMilliseconds) * windowMilliseconds);
  const headers = {
    "content-type": type,
    "cache-control": "private, max-age=31536000, immutable",
    "content-disposition": isDocument ? "attachment" : "inline",
    "content-encoding": "identity",
  };
  return downloadUrl({ key, headers, hasOrigin }, downloadLifetimeSeconds, signedAt);
}
