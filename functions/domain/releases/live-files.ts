import { limits } from "../../../contract/api/limits.ts";
import { contentTypeOf } from "../../../contract/api/releases/content-types.ts";
import { readManifest } from "../../files/manifests.ts";
import { fileKey } from "../../files/object-keys.ts";
import { downloadUrl, readVerified } from "../../files/store.ts";
import { countedFileUrl } from "../projects/play-url.ts";
import { findProject } from "../projects/projects.ts";
import { ServiceError } from "../service-error.ts";

/** A file of the live release: its bytes, or its URL at the games' edge or the store. */
export type LiveFile =
  | { readonly kind: "inline"; readonly sha256: string; readonly contentType: string; read(): Promise<Buffer> }
  | { readonly kind: "redirect"; readonly url: string };

/** A function's response has at most 6 MB, of which base64 takes a quarter. */
const inlineBytes = 4 * 1024 * 1024;
const downloadLifetimeSeconds = 900;
/** The download URL changes only after this time, so that a browser uses its cached file. */
const downloadWindowSeconds = 300;

/**
 * Finds a file of the live release of a project; a path that ends with `/` means its `index.html`. Documents, and files with
 * relative URLs in them, are sent from here, so that those URLs lead here too; all others, and files above 4 MiB, are
 * redirected to the store. If the service has a games' edge, all are redirected to the game's own URL: what is sent is counted there, and
 * limited (docs/decisions/0073).
 *
 * @throws ServiceError `project_not_found`, `file_not_found`
 */
export async function findLiveFile(
  slug: string,
  { path: requestedPath, hasOrigin }: { path: string; hasOrigin: boolean },
  now: Date,
): Promise<LiveFile> {
  const project = await findProject(slug);
  const { currentRelease } = project;
  if (currentRelease === undefined)
    throw new ServiceError("file_not_found", { detail: "This project has no live release yet." });
  const path = requestedPath.normalize("NFC").replace(/(^|\/)$/, "$1index.html");
  // No file has a longer path, nor a URL that a response's headers have no room for.
  if (Buffer.byteLength(path) > limits.pathBytes) throw new ServiceError("file_not_found");
  const ownUrl = countedFileUrl(project, path);
  if (ownUrl !== null) return { kind: "redirect", url: ownUrl };
  const file = (await readManifest(slug, currentRelease.manifest)).find(path);
  if (file === undefined) throw new ServiceError("file_not_found");
  const { sha256, size } = file;
  const key = fileKey(slug, sha256);
  const { type, isInline } = contentTypeOf(path);
  if (isInline && size <= inlineBytes)
    return { kind: "inline", sha256, contentType: type, read: () => readVerified(key, sha256) };
  return { kind: "redirect", url: downloadUrlOf({ key, path, hasOrigin }, now) };
}

/**
 * The store's responses have no sandbox, so a browser must save a document from there and not open it. Headers of the upload
 * are not used: an upload URL proves only the bytes, and is valid longer than its token.
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
