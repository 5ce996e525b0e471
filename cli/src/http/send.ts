import type * as http from "node:http";
import { headers } from "../../../contract/api/headers.ts";
import { noteServerTime, timeOfResponse } from "../../../contract/api/time/server-time.ts";
import type { ApiResponse } from "../../../contract/api-error.ts";
import { lastResponse } from "../../../contract/retries.ts";
import { connectionsTo } from "./agent.ts";
import { limitDuration, networkError, noteResponse, throwFinal, tooLongResponse } from "./network-error.ts";

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  /** Limits three times: to connect, between two bytes of the server, and the whole (see {@link limitDuration}). */
  readonly timeoutMilliseconds: number;
  /** Length of the response at most, for which the whole may take longer. By default that of the API's longest. */
  readonly longestBytes?: number;
  /** Ends the request, which then fails with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface HttpResponse extends ApiResponse {
  readonly bytes: Buffer;
}

/** Bytes. Lambda's responses have at most 6 MB: an endless response must not fill the memory. */
const longestResponse = 8 * 1024 * 1024;

/**
 * Sends one request and reads the whole response, whatever its status. Does not follow redirects.
 *
 * @throws NetworkError if no complete response came; the signal's reason
 */
export async function send(request: HttpRequest): Promise<HttpResponse> {
  if (trace === undefined) return await exchange(request);
  const began = performance.now();
  const tell = (what: string) => {
    const { origin, pathname, searchParams, search: query } = request.url;
    // Whoever has a presigned URL can do what it permits.
    const search = searchParams.has("X-Amz-Signature") ? "" : query;
    trace?.(`${request.method} ${origin}${pathname}${search}: ${what} in ${Math.round(performance.now() - began)} ms`);
  };
  try {
    const response = await exchange(request);
    const id = response.header(headers.requestId);
    tell(`${response.status}${id ? `, request ${id}` : ""}`);
    return response;
  } catch (error) {
    tell(`no response (${(error as Error).message})`);
    throw error;
  }
}

/** The same of a request that may be repeated: again if no response came, or if the server has trouble. */
export async function sendWithRetries(request: HttpRequest): Promise<HttpResponse> {
  const { url } = request;
  return await lastResponse(() => send(request).catch((failure: unknown) => throwFinal(failure, url)), url, {
    tries: 5,
  });
}

let trace: ((line: string) => void) | undefined;

/** Shows a line for each request from now on: neither its headers nor its body, so no token. */
export function traceRequests(show: (line: string) => void): void {
  trace = show;
}

async function exchange(request: HttpRequest): Promise<HttpResponse> {
  const { url, body, timeoutMilliseconds, longestBytes = 0, signal } = request;
  // A connection for this request only: a kept one would keep the process alive.
  const { agent, request: open } = await connectionsTo(url, { keepAlive: false });
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(signal?.aborted ? signal.reason : networkError(error, url));
    const stop = (error: Error) => {
      fail(error);
      outgoing.destroy();
    };
    const options: http.RequestOptions = {
      method: request.method,
      headers: { ...bodyHeaders(body), ...request.headers },
      // As an option it also limits the time to connect; the method setTimeout does not.
      timeout: timeoutMilliseconds,
      agent,
    };
    const outgoing = open(url, options, (incoming) => {
      noteResponse(url);
      noteServerTime(timeOfResponse(incoming.headers.date, incoming.headers.age));
      const chunks: Buffer[] = [];
      let length = 0;
      incoming.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > (longestBytes || longestResponse)) stop(tooLongResponse(url));
      });
      incoming.on("end", () => resolve(responseOf(incoming, Buffer.concat(chunks))));
      incoming.on("error", fail);
    });
    limitDuration(outgoing, url, { timeoutMilliseconds, bytes: Buffer.byteLength(body ?? "") + longestBytes, fail });
    outgoing.on("error", fail);
    const abort = () => stop(signal?.reason);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort, { once: true });
    outgoing.on("close", () => signal?.removeEventListener("abort", abort));
    outgoing.end(body);
  });
}

function responseOf({ statusCode = 0, headers: received }: http.IncomingMessage, bytes: Buffer): HttpResponse {
  const header = (name: string) => [received[name]].flat()[0];
  return {
    status: statusCode,
    header,
    bytes,
    get body() {
      return bytes.toString("utf8");
    },
  };
}

function bodyHeaders(body: string | undefined): Record<string, string> {
  if (body === undefined) return {};
  return { "content-length": String(Buffer.byteLength(body)) };
}
