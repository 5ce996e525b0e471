import type * as http from "node:http";
import { headers } from "../../../contract/api/headers.ts";
import { noteServerTime, timeOfResponse } from "../../../contract/api/server-time.ts";
import { connectionsTo } from "./agent.ts";
import { limitDuration, networkError, noteResponse, tooLongResponse } from "./network-error.ts";

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body?: string | undefined;
  /** Limits three times: to connect, between two bytes of the server, and the whole (see {@link limitDuration}). */
  readonly timeoutMilliseconds: number;
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
 * @throws NetworkError if no complete response came
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
  // A connection for this request only: a kept one would keep the process alive.
  const { agent, request: open } = await connectionsTo(url, { keepAlive: false });
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => reject(networkError(error, url));
    const options: http.RequestOptions = {
      method: request.method,
      headers: { ...bodyHeaders(request.body), ...request.headers },
      // As an option it also limits the time to connect; the method setTimeout does not.
      timeout: request.timeoutMilliseconds,
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
        if (length > largestResponse) outgoing.destroy(tooLongResponse(url));
      });
      incoming.on("end", () =>
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: Buffer.concat(chunks) }),
      );
      incoming.on("error", fail);
    });
    limitDuration(outgoing, url, { ...request, bytes: Buffer.byteLength(request.body ?? ""), fail });
    outgoing.on("error", fail);
    outgoing.end(request.body);
  });
}

function bodyHeaders(body: string | undefined): Record<string, string> {
  if (body === undefined) return {};
  return { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) };
}
