import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";

/** What passed a proxy. */
export interface Traffic {
  readonly requests: number;
  /** Bodies in both directions. */
  readonly bytes: number;
}

export interface CountingProxy {
  readonly endpoint: string;
  /** What passed since this was last asked. */
  take(): Traffic;
  stop(): Promise<void>;
}

/** Passes requests on as they are, Host header and all, and counts them. */
export async function startCountingProxy(target: string): Promise<CountingProxy> {
  let [requests, bytes] = [0, 0];
  async function* counted(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      yield chunk;
    }
  }
  const server = createServer(async (request, response) => {
    requests += 1;
    try {
      const forwarded = httpRequest(target + request.url, {
        method: request.method ?? "GET",
        headers: request.headers,
      });
      const answered = once(forwarded, "response") as Promise<[IncomingMessage]>;
      await pipeline(request, counted, forwarded);
      const [received] = await answered;
      response.writeHead(received.statusCode ?? 502, received.headers);
      await pipeline(received, counted, response);
    } catch {
      response.destroy();
    }
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take: () => {
      const taken = { requests, bytes };
      [requests, bytes] = [0, 0];
      return taken;
    },
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
