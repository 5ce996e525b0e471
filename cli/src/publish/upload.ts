import * as fs from "node:fs";
import { limits } from "../../../contract/limits.ts";
import type { Client } from "../client.ts";
import { UserError } from "../errors.ts";
import { NetworkError } from "../http/network-error.ts";
import { type Again, retryAfterMilliseconds, withRetries } from "../http/retry.ts";
import type { HashedFile } from "./hash.ts";
import { createSender, FileChangedError, type FileSender, type PutResponse } from "./put-file.ts";
import { checkUploadUrl, type UploadUrl } from "./upload-url.ts";

const uploadsAtOnce = 64;

export interface UploadOptions {
  readonly client: Client;
  readonly params: { readonly slug: string; readonly id: string };
  /** One file for each missing hash. */
  readonly files: readonly HashedFile[];
  readonly timeoutMilliseconds: number;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  onBytes(bytes: number): void;
  onFile(file: HashedFile): void;
}

/**
 * Uploads the files, 64 at once, each tried again by itself. The first that fails for good ends the others.
 *
 * @throws UserError where a file changed or the store refuses; NetworkError where it cannot be reached
 */
export async function uploadAll(options: UploadOptions): Promise<void> {
  const { files, signal } = options;
  const stop = new AbortController();
  const stopWith = () => stop.abort(signal.reason);
  signal.addEventListener("abort", stopWith, { once: true });
  const addresses = createAddressBook(options);
  const sender = createSender({ ...options, connections: uploadsAtOnce, signal: stop.signal });
  let next = 0;
  const work = async () => {
    while (next < files.length && !stop.signal.aborted) {
      const index = next;
      next += 1;
      const file = files[index];
      if (file === undefined) return;
      await uploadOne(file, index, { ...options, signal: stop.signal }, addresses, sender);
      options.onFile(file);
    }
  };
  try {
    signal.throwIfAborted();
    await Promise.all(Array.from({ length: Math.min(uploadsAtOnce, files.length) }, work));
    signal.throwIfAborted();
  } finally {
    stop.abort();
    sender.close();
    signal.removeEventListener("abort", stopWith);
  }
}

/** A refusal by the store, kept as what may be tried again. */
class PutRefusal extends Error {
  readonly response: PutResponse;
  constructor(response: PutResponse) {
    super(`The store answered ${response.status}${response.code === undefined ? "" : ` ${response.code}`}.`);
    this.response = response;
  }
}

async function uploadOne(
  file: HashedFile,
  index: number,
  { onBytes, signal }: UploadOptions,
  addresses: AddressBook,
  sender: FileSender,
): Promise<void> {
  let sent = 0;
  let hasUrl = false;
  try {
    await withRetries(
      async () => {
        onBytes(-sent);
        sent = 0;
        hasUrl = false;
        const address = await addresses.of(index);
        hasUrl = true;
        const response = await sender.put(file, address, (bytes) => {
          sent += bytes;
          onBytes(bytes);
        });
        if (isUploaded(response)) return;
        if (isOutOfDate(response)) addresses.forget(index);
        throw new PutRefusal(response);
      },
      {
        tries: 6,
        firstDelayMilliseconds: 250,
        longestWaitMilliseconds: 60_000,
        // The API was asked several times already.
        again: (failure) => (signal.aborted || !hasUrl ? undefined : again(failure)),
        onRetry: () => {},
      },
    );
  } catch (failure) {
    onBytes(-sent);
    throw signal.aborted ? signal.reason : explain(failure, file);
  }
}

/** 412: the file is there already, uploaded by another request or by one whose response was lost. */
function isUploaded({ status }: PutResponse): boolean {
  return (status >= 200 && status < 300) || status === 412;
}

/** The URL has expired, or the session that signed it has ended, which S3 tells by 400. */
function isOutOfDate({ status, code }: PutResponse): boolean {
  return status === 403 || (status === 400 && code === "ExpiredToken");
}

/** Also 400 where the connection may have broken a body. */
function again(failure: unknown): Again | undefined {
  if (failure instanceof NetworkError) return failure.isTransient ? { why: failure.message } : undefined;
  if (!(failure instanceof PutRefusal)) return undefined;
  const { status, code, retryAfter } = failure.response;
  const isRepeatable =
    status >= 500 || [408, 409, 429].includes(status) || code === "RequestTimeout" || isOutOfDate(failure.response);
  if (!isRepeatable) return undefined;
  return { why: failure.message, afterMilliseconds: retryAfterMilliseconds(retryAfter, new Date()) };
}

function explain(failure: unknown, file: HashedFile): unknown {
  if (failure instanceof FileChangedError || hasChanged(file))
    return new UserError(`${file.path} changed while it was sent; the live release is as it was.`, {
      code: "file_changed",
      next: "Wait until the build is done, then publish again.",
    });
  if (!(failure instanceof PutRefusal)) return failure;
  return new UserError(`${file.path} could not be uploaded. ${failure.message}`, {
    code: "upload_refused",
    status: failure.response.status,
    next: "Publish again: what is uploaded already is not sent twice.",
  });
}

function hasChanged({ location, size, mtimeMs }: HashedFile): boolean {
  const status = fs.statSync(location, { throwIfNoEntry: false });
  return status === undefined || status.size !== size || status.mtimeMs !== mtimeMs;
}

interface AddressBook {
  of(index: number): Promise<UploadUrl>;
  /** The address was refused: the next question gets a new one. */
  forget(index: number): void;
}

/** Asks for addresses by the thousand, the next thousand while the last is used, and anew for one that is out of date. */
function createAddressBook({ client, params, files }: UploadOptions): AddressBook {
  const batches = new Map<number, Promise<Batch>>();
  const forgotten = new Set<number>();
  const request = async (batch: readonly HashedFile[]): Promise<Batch> => {
    const sha256 = batch.map((file) => file.sha256);
    const { uploads, expires_at } = await client.call("createUploads", { params, body: { sha256 } });
    const checked = uploads.map((upload) => [upload.sha256, checkUploadUrl(upload, client.api)] as const);
    return { bySha256: new Map(checked), expiresAt: Date.parse(expires_at) };
  };
  const batchOf = (number: number): Promise<Batch> => {
    const start = number * limits.uploadUrlsPerCall;
    const known = batches.get(number);
    if (known !== undefined || start >= files.length) return known ?? Promise.resolve(emptyBatch);
    const asked = request(files.slice(start, start + limits.uploadUrlsPerCall));
    // Whoever awaits it sees the failure; a batch that was only fetched ahead must not end the process.
    asked.catch(() => {});
    batches.set(number, asked);
    return asked;
  };
  return {
    async of(index) {
      const file = files[index];
      const number = Math.floor(index / limits.uploadUrlsPerCall);
      const { bySha256, expiresAt } = await batchOf(number);
      if (index % limits.uploadUrlsPerCall >= limits.uploadUrlsPerCall / 2) void batchOf(number + 1);
      const address = file && bySha256.get(file.sha256);
      const isStale = forgotten.delete(index) || expiresAt - Date.now() < 30_000;
      if (address !== undefined && !isStale) return address;
      const fresh = file && (await request([file])).bySha256.get(file.sha256);
      if (fresh !== undefined) return fresh;
      throw new UserError("The API gave no address to upload to.", { code: "unexpected_answer" });
    },
    forget: (index) => void forgotten.add(index),
  };
}

interface Batch {
  readonly bySha256: ReadonlyMap<string, UploadUrl>;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

const emptyBatch: Batch = { bySha256: new Map(), expiresAt: 0 };
