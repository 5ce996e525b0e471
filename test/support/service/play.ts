import http from "node:http";
import type { TestService } from "./service.ts";

/** Response of a game's own origin. */
export interface GameResponse {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface Play {
  readonly method?: string;
  /** Sent as it is: percent-encoded. */
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request to the server at this URL, on its own connection, with `host` as its Host header. */
export function sendTo(url: string, host: string, { method = "GET", path = "/", headers = {} }: Play = {}) {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<GameResponse>();
  const request = http.request({ hostname, port, method, path, agent: false, headers: { host, ...headers } });
  request.on("error", reject);
  request.setTimeout(20_000, () => request.destroy(new Error("No response within 20 s")));
  request.on("response", (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk) => chunks.push(chunk));
    response.on("error", reject);
    response.on("end", () =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
    );
  });
  request.end();
  return promise;
}

/** The response to who follows where a large file goes by its content. */
export async function playFile(service: TestService, slug: string, request: Play): Promise<GameResponse> {
  const first = await play(service, slug, request);
  return first.status === 307
    ? await play(service, slug, { ...request, path: String(first.headers["location"]) })
    : first;
}

/** Sends a request to a game's own origin, whose name Node's resolver does not know. */
export function play(service: TestService, slug: string, request?: Play): Promise<GameResponse> {
  return sendTo(globalThis.deployment?.edge ?? service.api, `${slug}.${service.gamesDomain}`, request);
}

/** The URL of a game: of https in a stage, of http on one machine. */
export function gameUrl({ gamesDomain }: Pick<TestService, "gamesDomain">, slug: string): string {
  return `${globalThis.deployment === undefined ? "http" : "https"}://${slug}.${gamesDomain}/`;
}
