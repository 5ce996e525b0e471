import type * as http from "node:http";
import { isLoopback } from "../api-url.ts";
import { connectionsTo } from "../http/agent.ts";

/** The project whose files are loaded. */
export interface LiveGame {
  readonly api: URL;
  readonly slug: string;
  readonly signal: AbortSignal;
  readonly timeoutMilliseconds: number;
}

const mostRedirects = 5;
/** Over a slower connection the publication does not wait for it: players then load the new file whole. */
const longestMilliseconds = 120_000;

/**
 * Loads a file of a project's live release, as a program without an account does: without the token, from wherever the API redirects to.
 *
 * @returns undefined if it cannot be had, or has more bytes than this
 */
export async function downloadLiveFile(path: string, game: LiveGame, mostBytes: number): Promise<Buffer | undefined> {
  const segments = path.split("/").map(encodeURIComponent).join("/");
  let url = new URL(`projects/${game.slug}/files/${segments}`, game.api);
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const response = await get(url, game, mostBytes).catch(() => undefined);
    game.signal.throwIfAborted();
    if (response === undefined || response.body !== undefined) return response?.body;
    if (!URL.canParse(response.location, url.href)) return undefined;
    url = new URL(response.location, url);
    const isLocal = url.protocol === "http:" && isLoopback(url.hostname) && isLoopback(game.api.hostname);
    if (url.protocol !== "https:" && !isLocal) return undefined;
  }
  return undefined;
}

type LiveResponse = { readonly body: Buffer } | { readonly body?: undefined; readonly location: string };

async function get(url: URL, { signal, timeoutMilliseconds }: LiveGame, mostBytes: number): Promise<LiveResponse> {
  const { agent, request } = await connectionsTo(url, { keepAlive: false });
  // Not every resolver knows the names below localhost (RFC 6761, section 6.3).
  const address = url.hostname.endsWith(".localhost") ? { hostname: "127.0.0.1" } : {};
  const options: http.RequestOptions = {
    ...address,
    headers: { host: url.host, "accept-encoding": "identity" },
    timeout: timeoutMilliseconds,
    agent,
    signal: AbortSignal.any([signal, AbortSignal.timeout(longestMilliseconds)]),
  };
  return await new Promise((resolve, reject) => {
    const outgoing = request(url, options, (incoming) => {
      const { statusCode = 0, headers } = incoming;
      if (statusCode >= 300 && statusCode < 400 && headers.location !== undefined) {
        incoming.resume();
        resolve({ location: headers.location });
        return;
      }
      const isWhole = statusCode === 200 && [undefined, "identity"].includes(headers["content-encoding"]);
      if (!isWhole) {
        outgoing.destroy(new Error(`Status ${statusCode}`));
        return;
      }
      const chunks: Buffer[] = [];
      let length = 0;
      incoming.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > mostBytes) outgoing.destroy(new Error("Too long"));
      });
      incoming.on("end", () => resolve({ body: Buffer.concat(chunks) }));
      incoming.on("error", reject);
    });
    outgoing.on("timeout", () => outgoing.destroy(new Error("No response")));
    outgoing.on("error", reject);
    outgoing.end();
  });
}
