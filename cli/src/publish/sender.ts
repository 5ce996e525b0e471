import * as fs from "node:fs";
import type * as http from "node:http";
import { pipeline } from "node:stream/promises";
import { limits } from "../../../contract/api/limits.ts";
import { errorCodeIn, type PutResponse } from "../../../contract/api/releases/store-response.ts";
import { retryAfterMilliseconds } from "../../../contract/api/time/server-time.ts";
import { NetworkError } from "../../../contract/api-error.ts";
import { ContentHash } from "../../../contract/folder/content-hash.ts";
import { nodeHashes } from "../../../contract/folder/node-hashes.ts";
import { nameOfParts } from "../../../contract/folder/parts.ts";
import type { Put, Range, Sender, UploadTarget } from "../../../publisher/ports.ts";
import { UploadFailure } from "../../../publisher/upload-failure.ts";
import { UserError } from "../errors.ts";
import { type Connections, connectionsTo } from "../http/agent.ts";
import { limitDuration, networkError, noteResponse } from "../http/network-error.ts";
import { hasErrorCode, isSystemError } from "../system-error.ts";
import { fileChanged, mayBeFreeSoon, readFailure } from "./file-failure.ts";
import type { SentFile } from "./local-file.ts";
import { checkUploadUrl } from "./upload-url.ts";

/** Files up to this size are read in one piece: it takes less processor time than a stream, and 128 take little memory. */
const wholeBytes = 128 * 1024;

export interface SenderOptions {
  /** Only it may give URLs of this machine. */
  readonly api: URL;
  /** Those that will be sent. */
  readonly files: readonly SentFile[];
  readonly timeoutMilliseconds: number;
}

/** Above it, 128 requests at once fill a line as well as packs do, and nobody waits for the unpacking. */
export const maxPlainBytes = 8 * 1024;

const filesAtOnce = 64;
/** The number in parallel if nearly all files are small: they wait for a store far away, and not for the line. */
const smallFilesAtOnce = 128;
/** One connection cannot use the whole bandwidth to a distant store. */
const partsAtOnce = 8;

/** Sends files of this machine to the store, and reuses its connections. */
export function createSender(options: SenderOptions, signal: AbortSignal): Sender<SentFile> {
  const large = options.files.filter(({ size }) => size > wholeBytes).length;
  const atOnce = Math.min(large > filesAtOnce ? filesAtOnce : smallFilesAtOnce, options.files.length);
  const maxSockets = Math.max(atOnce, partsAtOnce);
  const origins = new Map<string, Promise<Connections>>();
  /** Aborts running requests too. */
  const close = async () => {
    for (const origin of await Promise.all(origins.values())) origin.agent.destroy();
  };
  const closeNow = () => void close();
  signal.addEventListener("abort", closeNow, { once: true });
  const put = async (file: SentFile | Uint8Array, range: Range, target: UploadTarget, onSent: OnSent) => {
    const { url, headers } = checkUploadUrl(target, options.api);
    let opening = origins.get(url.origin);
    if (opening === undefined) {
      opening = connectionsTo(url, { keepAlive: true, maxSockets, scheduling: "lifo" });
      origins.set(url.origin, opening);
    }
    const { request, agent } = await opening;
    const outgoing = request({
      agent,
      method: "PUT",
      protocol: url.protocol,
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: url.port,
      path: url.pathname + url.search,
      headers: rawHeaders({ ...headers, host: url.host, "content-length": String(range.size) }),
      timeout: options.timeoutMilliseconds,
    });
    const checksum = Object.entries(headers).find(([name]) => name.toLowerCase() === checksumHeader)?.[1];
    return await exchange(outgoing, { ...options, url, file, range, signal, checksum, onSent });
  };
  return {
    filesAtOnce: atOnce,
    partsAtOnce,
    urlsPerCall: limits.uploadUrlsPerCall,
    open: (file) => (range, target, onSent) => put(file, range, target, onSent),
    read: async ({ location, size }) => readWhole(location, size),
    openBytes: (bytes) => (range, target, onSent) => put(bytes, range, target, onSent),
    partsOf: async (file) => file.parts ?? (await hashParts(file)),
    busy,
    explain,
    close: closeNow,
  };
}

type OnSent = Parameters<Put>[2];

/** A list, because Node needs a tenth of an upload's time to set headers from an object. */
function rawHeaders(headers: Readonly<Record<string, string>>): string[] {
  const unique = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return [...unique].flat();
}

const checksumHeader = "x-amz-checksum-sha256";

interface Sending extends Pick<SenderOptions, "timeoutMilliseconds"> {
  readonly url: URL;
  /** A file, or all that is sent. */
  readonly file: SentFile | Uint8Array;
  readonly range: Range;
  readonly signal: AbortSignal;
  /** The checksum that is sent; undefined: the URL demands none. */
  readonly checksum: string | undefined;
  readonly onSent: OnSent;
}

function exchange(outgoing: http.ClientRequest, sending: Sending): Promise<PutResponse> {
  const { url, range, timeoutMilliseconds, signal, checksum } = sending;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(toNetworkError(error, url, signal));
    limitDuration(outgoing, url, { timeoutMilliseconds, bytes: range.size, fail });
    outgoing.on("error", fail);
    outgoing.on("response", (incoming) => {
      noteResponse(url);
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk: string) => {
        if (text.length < 4_096) text += chunk;
      });
      incoming.on("error", fail);
      incoming.on("end", () => {
        const status = incoming.statusCode ?? 0;
        const header = (name: string) => [incoming.headers[name]].flat()[0];
        // The response came before the whole body was sent, so the connection cannot be used again.
        if (!outgoing.writableFinished) outgoing.destroy();
        resolve({
          status,
          code: errorCodeIn(text),
          isConfirmed: checksum === undefined || header(checksumHeader) === checksum,
          retryAfterMilliseconds: retryAfterMilliseconds(header),
        });
      });
    });
    sendBytes(outgoing, sending).catch((error: unknown) => outgoing.destroy(error as Error));
  });
}

async function sendBytes(outgoing: http.ClientRequest, { file, range: { start, size }, onSent }: Sending) {
  if (file instanceof Uint8Array) return await sendPieces(outgoing, file, onSent);
  if (size <= wholeBytes) return void outgoing.end(readWhole(file.location, size, start), () => onSent(size));
  const descriptor = openFile(file.location);
  let sent = 0;
  const stream = fs.createReadStream("", { fd: descriptor, start, end: start + size - 1, highWaterMark: 128 * 1024 });
  stream.on("data", (chunk) => {
    sent += chunk.length;
    onSent(sent);
  });
  await pipeline(stream, outgoing, { end: false });
  if (sent < size) throw new FileChangedError();
  outgoing.end();
}

function openFile(location: string): number {
  return fs.openSync(location, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
}

function readWhole(location: string, size: number, start = 0): Uint8Array<ArrayBuffer> {
  const descriptor = openFile(location);
  try {
    const bytes = Buffer.allocUnsafe(size);
    if (fs.readSync(descriptor, bytes, 0, size, start) < size) throw new FileChangedError();
    return bytes;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** In pieces, so that who waits sees how much is sent. */
async function sendPieces(outgoing: http.ClientRequest, bytes: Uint8Array, onSent: OnSent): Promise<void> {
  let sent = 0;
  const pieces = function* () {
    for (; sent < bytes.length; onSent(sent)) {
      const piece = bytes.subarray(sent, sent + wholeBytes);
      sent += piece.length;
      yield piece;
    }
  };
  await pipeline(pieces, outgoing);
}

/** The SHA-256 of each part of a compressed copy. */
async function hashParts(file: SentFile): Promise<readonly string[]> {
  const hash = new ContentHash(nodeHashes, file.size);
  try {
    for await (const chunk of fs.createReadStream(file.location, { highWaterMark: 1024 * 1024 })) hash.update(chunk);
  } catch (failure) {
    throw readFailure(failure, file);
  }
  const parts = hash.parts();
  if (nameOfParts(parts) !== file.sha256) throw fileChanged(file);
  return parts;
}

/** A socket is a file, too. */
function busy(failure: unknown): "file" | "process" | undefined {
  if (hasErrorCode(failure instanceof NetworkError ? failure.cause : failure, "EMFILE", "ENFILE")) return "process";
  return isFileFailure(failure) && mayBeFreeSoon(failure) ? "file" : undefined;
}

function explain(failure: unknown, file: SentFile): unknown {
  if (isFileFailure(failure)) return readFailure(failure, file);
  if (failure instanceof FileChangedError || hasChanged(file)) return fileChanged(file);
  if (!(failure instanceof UploadFailure)) return failure;
  const { message, meaning, response } = failure;
  if (meaning === "no_url") return new UserError(message, { code: "unexpected_response" });
  return new UserError(`${file.path} could not be uploaded. ${message}`, {
    code: "upload_refused",
    ...(response && { status: response.status }),
    next: "Publish again: what is uploaded already is not sent again.",
  });
}

function hasChanged({ location, size, mtimeMs }: SentFile): boolean {
  const status = fs.statSync(location, { throwIfNoEntry: false });
  return status === undefined || status.size !== size || status.mtimeMs !== mtimeMs;
}

/** Whether the operating system did not give the file, which no socket fails with. */
function isFileFailure(error: unknown): error is NodeJS.ErrnoException {
  return isSystemError(error) && (error.syscall === "open" || hasErrorCode(error, "EIO", "EBUSY", "ESTALE"));
}

/** The file is shorter than before, so its upload cannot be completed. */
class FileChangedError extends Error {
  override readonly name = "FileChangedError";
}

function toNetworkError(error: unknown, url: URL, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof FileChangedError || isFileFailure(error)) return error;
  return networkError(error, url, "store");
}
