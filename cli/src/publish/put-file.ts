import * as fs from "node:fs";
import type * as http from "node:http";
import { pipeline } from "node:stream/promises";
import { NetworkError, networkError, silence } from "../http/network-error.ts";
import { proxyFor } from "../http/proxy.ts";
import type { HashedFile } from "./hash.ts";

/** Where to send the bytes of one hash, as the API said. */
export interface UploadAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The store's answer to an upload. */
export interface PutAnswer {
  readonly status: number;
  /** The store's code for a refusal, such as BadDigest. */
  readonly code: string | undefined;
  readonly retryAfter: string | undefined;
}

/** Sends files to the store over kept connections. */
export interface FileSender {
  /**
   * Sends one file, streaming it where it is large.
   *
   * @param onBytes told how many bytes more were sent; the sum goes down again where a try fails
   * @throws NetworkError where no answer came
   */
  put(file: HashedFile, address: UploadAddress, onBytes: (bytes: number) => void): Promise<PutAnswer>;
  close(): void;
}

/** Up to here a file is read in one piece: that costs less processor time than a stream, and 64 of them little memory. */
const wholeBytes = 128 * 1024;

export interface SenderOptions {
  readonly connections: number;
  readonly timeoutMilliseconds: number;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
}

export async function createSender(options: SenderOptions): Promise<FileSender> {
  const agents = new Map<string, http.Agent>();
  const close = () => {
    for (const agent of agents.values()) agent.destroy();
  };
  options.signal.addEventListener("abort", close, { once: true });
  return {
    async put(file, address, onBytes) {
      const url = new URL(address.url);
      const module = url.protocol === "https:" ? await import("node:https") : await import("node:http");
      let agent = agents.get(url.origin);
      if (agent === undefined) {
        agent = await createAgent(url, options);
        agents.set(url.origin, agent);
      }
      return exchange(module.request(url, requestOptions(file, address, agent)), url, file, { ...options, onBytes });
    },
    close,
  };
}

async function createAgent(url: URL, { connections, environment, timeoutMilliseconds }: SenderOptions) {
  const module = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  const agent: http.Agent = new module.Agent({ keepAlive: true, maxSockets: connections, scheduling: "lifo" });
  const proxy = proxyFor(url, environment);
  if (proxy === undefined) return agent;
  const { tunnel } = await import("../http/tunnel.ts");
  return Object.assign(agent, { createConnection: tunnel(proxy, url, timeoutMilliseconds) });
}

function requestOptions({ size }: HashedFile, { headers }: UploadAddress, agent: http.Agent): http.RequestOptions {
  return { method: "PUT", agent, headers: { ...headers, "content-length": String(size) } };
}

function exchange(
  outgoing: http.ClientRequest,
  url: URL,
  file: HashedFile,
  { onBytes, timeoutMilliseconds, signal }: SenderOptions & { onBytes(bytes: number): void },
): Promise<PutAnswer> {
  return new Promise((resolve, reject) => {
    const abort = () => outgoing.destroy(signal.reason);
    const settle = (action: () => void) => {
      signal.removeEventListener("abort", abort);
      action();
    };
    const fail = (error: unknown) => settle(() => reject(toNetworkError(error, url, signal)));
    signal.addEventListener("abort", abort, { once: true });
    outgoing.setTimeout(timeoutMilliseconds, () => outgoing.destroy(silence(url, timeoutMilliseconds)));
    outgoing.on("error", fail);
    outgoing.on("response", (incoming) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (chunk: string) => {
        if (text.length < 4_096) text += chunk;
      });
      incoming.on("error", fail);
      incoming.on("end", () => {
        const status = incoming.statusCode ?? 0;
        const code = /<Code>([A-Za-z]+)<\/Code>/.exec(text)?.[1];
        // A refusal that came before all was sent leaves the connection in between.
        if (!outgoing.writableFinished) outgoing.destroy();
        settle(() => resolve({ status, code, retryAfter: incoming.headers["retry-after"] }));
      });
    });
    sendBytes(outgoing, file, onBytes).catch((error: unknown) => outgoing.destroy(error as Error));
  });
}

async function sendBytes(
  outgoing: http.ClientRequest,
  { location, size }: HashedFile,
  onBytes: (bytes: number) => void,
) {
  const flags = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0);
  const descriptor = fs.openSync(location, flags);
  if (size <= wholeBytes) {
    try {
      const buffer = Buffer.allocUnsafe(size);
      if (fs.readSync(descriptor, buffer, 0, size, 0) < size) throw new FileChangedError();
      outgoing.end(buffer, () => onBytes(size));
    } finally {
      fs.closeSync(descriptor);
    }
    return;
  }
  let sent = 0;
  const stream = fs.createReadStream("", { fd: descriptor, start: 0, end: size - 1, highWaterMark: 128 * 1024 });
  stream.on("data", (chunk) => {
    sent += chunk.length;
    onBytes(chunk.length);
  });
  await pipeline(stream, outgoing, { end: false });
  if (sent < size) throw new FileChangedError();
  outgoing.end();
}

/** The file is shorter than it was, so its upload cannot be completed. */
export class FileChangedError extends Error {
  override readonly name = "FileChangedError";
}

function toNetworkError(error: unknown, url: URL, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof NetworkError || error instanceof FileChangedError) return error;
  return networkError(error, url.origin);
}
