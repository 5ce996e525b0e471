import * as fs from "node:fs";
import type * as http from "node:http";
import { pipeline } from "node:stream/promises";
import { errorCodeIn } from "../../../contract/api/releases/store-response.ts";
import { retryAfterMilliseconds } from "../../../contract/api/time/server-time.ts";
import { type Connections, connectionsTo } from "../http/agent.ts";
import { limitDuration, networkError, noteResponse } from "../http/network-error.ts";
import { hasErrorCode, isSystemError } from "../system-error.ts";
import type { HashedFile } from "./hash.ts";
import type { UploadUrl } from "./upload-url.ts";

/** A file to send, or a part of it. */
export interface FileBytes extends HashedFile {
  /** In bytes; if it is left out, the whole file is sent. */
  readonly part?: { readonly start: number; readonly size: number };
}

/** The store's response to an upload. */
export interface PutResponse {
  readonly status: number;
  /** The store's code for a refusal, such as BadDigest. */
  readonly code: string | undefined;
  /** Whether it has the checksum that was sent, as the store's own responses do. */
  readonly isConfirmed: boolean;
  readonly retryAfterMilliseconds: number | undefined;
}

/** Sends files to the store, and reuses its connections. */
export interface FileSender {
  /**
   * Sends one file.
   *
   * @param onBytes called with the number of further bytes that were sent
   * @throws NetworkError if no response came; FileChangedError if the file became shorter; a system error ({@link isFileFailure}) if it cannot be read
   */
  put(file: FileBytes, upload: UploadUrl, onBytes: (bytes: number) => void): Promise<PutResponse>;
  close(): void;
}

/** Files up to this size are read in one piece: it takes less processor time than a stream, and 128 take little memory. */
export const wholeBytes = 128 * 1024;

export interface SenderOptions {
  readonly connections: number;
  readonly timeoutMilliseconds: number;
  readonly signal: AbortSignal;
}

export function createSender(options: SenderOptions): FileSender {
  const origins = new Map<string, Promise<Connections>>();
  /** Aborts running requests too. */
  const close = async () => {
    for (const origin of await Promise.all(origins.values())) origin.agent.destroy();
  };
  const closeNow = () => void close();
  options.signal.addEventListener("abort", closeNow, { once: true });
  return {
    async put(file, { url, headers }, onBytes) {
      let opening = origins.get(url.origin);
      if (opening === undefined) {
        opening = connectionsTo(url, { keepAlive: true, maxSockets: options.connections, scheduling: "lifo" });
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
        headers: rawHeaders({ ...headers, host: url.host, "content-length": String(rangeOf(file).size) }),
        timeout: options.timeoutMilliseconds,
      });
      const sent = Object.entries(headers).find(([name]) => name.toLowerCase() === checksumHeader)?.[1];
      return exchange(outgoing, url, file, { ...options, checksum: sent, onBytes });
    },
    close: closeNow,
  };
}

/** A list, because Node needs a tenth of an upload's time to set headers from an object. */
function rawHeaders(headers: Readonly<Record<string, string>>): string[] {
  const unique = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return [...unique].flat();
}

const checksumHeader = "x-amz-checksum-sha256";

interface Sending extends SenderOptions {
  /** The checksum that is sent; undefined: the URL demands none. */
  readonly checksum: string | undefined;
  onBytes(bytes: number): void;
}

function exchange(
  outgoing: http.ClientRequest,
  url: URL,
  file: FileBytes,
  { onBytes, timeoutMilliseconds, signal, checksum }: Sending,
): Promise<PutResponse> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(toNetworkError(error, url, signal));
    limitDuration(outgoing, url, { timeoutMilliseconds, bytes: rangeOf(file).size, fail });
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
    sendBytes(outgoing, file, onBytes).catch((error: unknown) => outgoing.destroy(error as Error));
  });
}

function rangeOf({ size, part }: FileBytes) {
  return part ?? { start: 0, size };
}

async function sendBytes(outgoing: http.ClientRequest, file: FileBytes, onBytes: (bytes: number) => void) {
  const { start, size } = rangeOf(file);
  const descriptor = fs.openSync(file.location, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0));
  if (size <= wholeBytes) {
    try {
      const buffer = Buffer.allocUnsafe(size);
      if (fs.readSync(descriptor, buffer, 0, size, start) < size) throw new FileChangedError();
      outgoing.end(buffer, () => onBytes(size));
    } finally {
      fs.closeSync(descriptor);
    }
    return;
  }
  let sent = 0;
  const stream = fs.createReadStream("", { fd: descriptor, start, end: start + size - 1, highWaterMark: 128 * 1024 });
  stream.on("data", (chunk) => {
    sent += chunk.length;
    onBytes(chunk.length);
  });
  await pipeline(stream, outgoing, { end: false });
  if (sent < size) throw new FileChangedError();
  outgoing.end();
}

/** Whether the operating system did not give the file, which no socket fails with. */
export function isFileFailure(error: unknown): error is NodeJS.ErrnoException {
  return isSystemError(error) && (error.syscall === "open" || hasErrorCode(error, "EIO", "EBUSY", "ESTALE"));
}

/** The file is shorter than before, so its upload cannot be completed. */
export class FileChangedError extends Error {
  override readonly name = "FileChangedError";
}

function toNetworkError(error: unknown, url: URL, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof FileChangedError || isFileFailure(error)) return error;
  return networkError(error, url, "store");
}
