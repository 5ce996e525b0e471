import type * as http from "node:http";
import type { Duplex } from "node:stream";
import { headers } from "../../../contract/api/headers.ts";
import { limitDuration, networkError, timeoutError, tooLongResponse } from "./network-error.ts";
import { proxyFor } from "./proxy.ts";

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  /** Limits three times: to connect, between two bytes of the server, and the whole (see {@link limitDuration}). */
  readonly timeoutMilliseconds: number;
  readonly environment: NodeJS.ProcessEnv;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Bytes. Lambda's responses have at most 6 MB: an endless response must not fill the memory. */
const largestResponse = 8 * 1024 * 1024;

/**
 * Sends one request and reads the whole response, whatever its status. Does not follow redirects.
 *
 * @throws NetworkError where no complete response came
 */
export async function send(request: HttpRequest): Promise<HttpResponse> {
  if (trace === undefined) return await exchange(request);
  const began = performance.now();
  const tell = (what: string) => {
    const { origin, pathname, search } = request.url;
    trace?.(`${request.method} ${origin}${pathname}${search}: ${what} in ${Math.round(performance.now() - began)} ms`);
  };
  try {
    const response = await exchange(request);
    const id = response.headers[headers.requestId];
    tell(`${response.status}${id === undefined ? "" : `, request ${id}`}`);
    return response;
  } catch (error) {
    tell(`no response (${(error as Error).message})`);
    throw error;
  }
}

let trace: ((line: string) => void) | undefined;

/** Shows a line for each request from now on: neither its headers nor its body, so no token. */
export function traceRequests(show: (line: string) => void): void {
  trace = show;
}

async function exchange(request: HttpRequest): Promise<HttpResponse> {
  const { url } = request;
  const proxy = proxyFor(url, request.environment);
  const createConnection = proxy && (await import("./tunnel.ts")).tunnel(proxy, url, request.timeoutMilliseconds);
  const { request: open } = url.protocol === "https:" ? await import("node:https") : await import("node:http");
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(networkError(error, url.origin));
    const options: http.RequestOptions = {
      method: request.method,
      headers: { ...bodyHeaders(request.body), ...request.headers },
      // As an option it also limits the time to connect; the method setTimeout does not.
      timeout: request.timeoutMilliseconds,
      // A connection for this request only: a kept one would keep the process alive. The tunnel makes its own.
      ...(createConnection ? { createConnection: createConnection as unknown as () => Duplex } : { agent: false }),
    };
    const outgoing = open(url, options, (incoming) => {
      const chunks: Buffer[] = [];
      let length = 0;
      incoming.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > largestResponse) outgoing.destroy(tooLongResponse(url));
      });
      incoming.on("end", () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) }),
      );
      incoming.on("error", fail);
    });
    limitDuration(outgoing, url, { ...request, bytes: Buffer.byteLength(request.body ?? "") });
    outgoing.on("timeout", () => outgoing.destroy(timeoutError(url, request.timeoutMilliseconds)));
    outgoing.on("error", fail);
    outgoing.end(request.body);
  });
}

function bodyHeaders(body: string | undefined): Record<string, string> {
  if (body === undefined) return {};
  return { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) };
}
