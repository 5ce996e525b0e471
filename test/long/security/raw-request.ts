import { once } from "node:events";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

/** A request as it goes over the wire: `fetch` would tidy it up. */
export interface RawRequest {
  readonly method: string;
  readonly path: string;
  /** In this order, repetitions and all. */
  readonly headers?: readonly (readonly [string, string])[];
  /** Several pieces are sent in chunks of their own, without a length. */
  readonly body?: Buffer | readonly Buffer[];
}

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const timeoutMilliseconds = 10_000;

/** @throws Error if there is no response within ten seconds, or the request cannot be written at all */
export async function sendRaw(api: string, { method, path, headers = [], body }: RawRequest): Promise<RawResponse> {
  const { hostname, port } = new URL(api);
  const isChunked = Array.isArray(body);
  const framing = isChunked ? ["transfer-encoding", "chunked"] : lengthOf(body as Buffer | undefined);
  const outgoing = request({
    hostname,
    port,
    method,
    path,
    headers: ["host", `${hostname}:${port}`, ...framing, ...headers.flat()],
    signal: AbortSignal.timeout(timeoutMilliseconds),
  });
  for (const piece of isChunked ? body : [body as Buffer | undefined]) if (piece) outgoing.write(piece);
  outgoing.end();
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) };
}

function lengthOf(body: Buffer | undefined): string[] {
  return body === undefined ? [] : ["content-length", String(body.byteLength)];
}
