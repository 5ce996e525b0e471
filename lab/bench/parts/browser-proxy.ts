import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { pipeline } from "node:stream/promises";
import type { Part } from "../../../local/part.ts";
import { startHttpServer } from "../../../test/support/network/http-server.ts";

/**
 * A proxy for a browser whose pages are all on this machine, by http: requests to these origins go to others, and keep their Host.
 *
 * @param origins from an origin of the page's to that of the server that gets its requests
 */
export async function startBrowserProxy(origins: Readonly<Record<string, string>>): Promise<Part> {
  return await startHttpServer(async (request, response) => {
    try {
      const { origin, port, pathname, search } = new URL(request.url ?? "");
      const target = (origins[origin] ?? `http://127.0.0.1:${port}`) + pathname + search;
      const outgoing = httpRequest(target, { method: request.method ?? "GET", headers: request.headers });
      const responding = once(outgoing, "response");
      await pipeline(request, outgoing);
      const [incoming] = await responding;
      response.writeHead(incoming.statusCode, incoming.headers);
      await pipeline(incoming, response);
    } catch (error) {
      response.destroy(error as Error);
    }
  });
}
