import { limits } from "../../../contract/api/limits.ts";
import { serverNow } from "../../../contract/api/time/server-time.ts";
import type { Client, ResponseBody } from "../../../contract/client.ts";
import { isSentInParts } from "../../../contract/folder/content-hash.ts";
import type { KnownParts } from "../../../contract/folder/known-parts.ts";
import type { Patience } from "../../../contract/retries.ts";
import { UserError } from "../errors.ts";
import type { HashedFile } from "./hash.ts";
import { createSender, wholeBytes } from "./put-file.ts";
import { TooManyFilesError, type UploadUrls, uploadOne } from "./upload-one.ts";
import { partsAtOnce, uploadInParts } from "./upload-parts.ts";
import { checkUploadUrl, type UploadUrl } from "./upload-url.ts";

const uploadsAtOnce = 64;
/** The number in parallel if nearly all files are small: they wait for a store far away, and not for the line. */
const smallUploadsAtOnce = 128;

type UrlsOfApi = ResponseBody<"createUploads">;

export interface UploadOptions {
  readonly client: Client;
  readonly params: { readonly slug: string; readonly id: string };
  /** One file for each missing hash. */
  readonly files: readonly HashedFile[];
  /** Upload URLs that the API has sent already. */
  readonly first: UrlsOfApi | null | undefined;
  readonly timeoutMilliseconds: number;
  readonly signal: AbortSignal;
  readonly patience: Patience;
  readonly known: KnownParts;
  onKnown(bytes: number): void;
  onBytes(bytes: number): void;
  onFile(file: HashedFile): void;
}

/**
 * Uploads the files, 64 in parallel or small ones 128, and retries each. The first file whose last try fails aborts the others.
 *
 * @throws UserError if a file changed or the store refused it; NetworkError if the store cannot be reached
 */
export async function uploadAll(options: UploadOptions): Promise<void> {
  const { signal } = options;
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  const { files, urls } = withUploadUrls(options);
  const large = files.filter(({ size }) => size > wholeBytes).length;
  const atOnce = Math.min(large > uploadsAtOnce ? uploadsAtOnce : smallUploadsAtOnce, files.length);
  const sender = createSender({ ...options, connections: Math.max(atOnce, partsAtOnce), signal: either });
  const waiting = [...files.keys()].toReversed();
  let workers = atOnce;
  // Counted at once: two that leave together must not each believe that the other one stays and sends their files.
  const leave = (least: number) => workers > least && workers-- > 0;
  const work = async () => {
    for (let index = waiting.pop(); index !== undefined && !either.aborted; index = waiting.pop()) {
      const file = files[index];
      if (file === undefined) return;
      const patience = { ...options.patience, signal: either };
      const work = { ...options, signal: either, patience, sender };
      try {
        await (isSentInParts(file.size) ? uploadInParts(file, work) : uploadOne(file, index, { ...work, urls, leave }));
      } catch (failure) {
        if (!(failure instanceof TooManyFilesError)) throw failure;
        return void waiting.push(index);
      }
      options.onFile(file);
    }
    workers -= 1;
  };
  try {
    signal.throwIfAborted();
    await Promise.all(Array.from({ length: atOnce }, work));
    signal.throwIfAborted();
  } finally {
    stop.abort();
    sender.close();
  }
}

/**
 * The files, those first whose URLs are known. Requests the other URLs in batches, each batch while half of the one before is in
 * use, and the first one at once; and new ones for those that expire.
 */
function withUploadUrls({ client, params, files, first }: UploadOptions): { files: HashedFile[]; urls: UploadUrls } {
  const batches = new Map<number, Promise<Batch>>();
  const refused = new Set<number>();
  const known = first ? batchOf(first, client.api) : emptyBatch;
  const isKnown = ({ sha256 }: HashedFile) => known.bySha256.has(sha256);
  const needsUrl = (file: HashedFile) => !(isKnown(file) || isSentInParts(file.size));
  const [begin, rest] = [files.filter((file) => !needsUrl(file)), files.filter(needsUrl)];
  const request = async (batch: readonly HashedFile[]): Promise<Batch> => {
    const sha256 = batch.map((file) => file.sha256);
    return batchOf(
      await client.call("POST /projects/:slug/releases/:id/uploads", { params, body: { sha256 } }),
      client.api,
    );
  };
  const requestBatch = (number: number): Promise<Batch> => {
    const start = number * limits.uploadUrlsPerCall;
    const requested = batches.get(number);
    if (requested !== undefined || start >= rest.length) return requested ?? Promise.resolve(emptyBatch);
    const requesting = request(rest.slice(start, start + limits.uploadUrlsPerCall));
    // `of` throws the failure. A batch that nobody awaits yet must not crash the process.
    requesting.catch(() => {});
    batches.set(number, requesting);
    return requesting;
  };
  const batchFor = async (position: number): Promise<Batch> => {
    const number = Math.floor(position / limits.uploadUrlsPerCall);
    const batch = await requestBatch(number);
    if (position % limits.uploadUrlsPerCall >= limits.uploadUrlsPerCall / 2) void requestBatch(number + 1);
    return batch;
  };
  const ordered = [...begin, ...rest];
  void requestBatch(0);
  const urls = {
    async of(index: number) {
      const file = ordered[index];
      const { bySha256, expiresAt } = index < begin.length ? known : await batchFor(index - begin.length);
      const url = file && bySha256.get(file.sha256);
      const isExpired = refused.delete(index) || expiresAt - serverNow() < 30_000;
      if (url !== undefined && !isExpired) return url;
      const fresh = file && (await request([file])).bySha256.get(file.sha256);
      if (fresh !== undefined) return fresh;
      throw new UserError("The API sent no upload URL.", { code: "unexpected_response" });
    },
    replace: (index: number) => void refused.add(index),
  };
  return { files: ordered, urls };
}

interface Batch {
  readonly bySha256: ReadonlyMap<string, UploadUrl>;
  /** Milliseconds since 1970, by the server's clock. */
  readonly expiresAt: number;
}

const emptyBatch: Batch = { bySha256: new Map(), expiresAt: 0 };

function batchOf({ uploads, expires_at }: UrlsOfApi, api: URL): Batch {
  const checked = uploads.map((upload) => [upload.sha256, checkUploadUrl(upload, api)] as const);
  return { bySha256: new Map(checked), expiresAt: Date.parse(expires_at) };
}
