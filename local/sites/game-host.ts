import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { htmlOf, unavailable } from "../../edge/pages/pages.ts";
import { siteOf } from "../../edge/project/host.ts";
import type { EdgeLocation, EdgeResult } from "../edge/edge-location.ts";
import type { Site } from "../gateway/http-server.ts";
import type { PlayWatch } from "../option.ts";
import { sendFilePart } from "./object-bytes.ts";

/**
 * Serves the games' own origins, as the edge of a stage does, and lets options watch each request.
 *
 * @param gamesDomain `localhost:8787`: a project is played at `http://<slug>.localhost:8787/`
 */
export function gameHost(
  gamesDomain: string,
  location: Pick<EdgeLocation, "respond">,
  watches: readonly PlayWatch[],
  passing?: PassedPaths,
): Site {
  const play = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = "", url = "", headers } = request;
    const watched = watches.map((watch) => watch(request));
    response.once("close", () => {
      for (const each of watched) each.ends(response);
    });
    try {
      const sent = headers as Readonly<Record<string, string | undefined>>;
      const result = await location.respond({ method, target: url, headers: sent });
      for (const each of watched) each.responds(result);
      await send(response, method, result);
    } catch (error) {
      if (response.headersSent || response.destroyed) return void response.destroy();
      console.error(error);
      const { status } = unavailable;
      response
        .writeHead(status, { "content-type": "text/html; charset=utf-8", "retry-after": "1" })
        .end(htmlOf(unavailable));
    }
  };
  return {
    respond(request, response) {
      if (siteOf(request.headers.host ?? "", gamesDomain) === undefined) return false;
      if (passing?.paths.some((path) => request.url?.startsWith(path))) void passOn(request, response, passing.api);
      else void play(request, response);
      return true;
    },
  };
}

/** Paths below which the API responds on games' hosts, and its origin. */
interface PassedPaths {
  readonly paths: readonly string[];
  readonly api: string;
}

/** Responds as the API does, which gets path, type and body, and nothing else of the request, as from CloudFront. */
async function passOn(request: IncomingMessage, response: ServerResponse, api: string): Promise<void> {
  const { method = "", url = "", headers } = request;
  const type = headers["content-type"];
  const isRead = method === "GET" || method === "HEAD";
  try {
    const result = await fetch(api + url.replace(/\?.*/s, ""), {
      method,
      headers: { ...(type !== undefined && { "content-type": type }) },
      ...(!isRead && { body: new Uint8Array(await buffer(request)) }),
    });
    const bytes = Buffer.from(await result.arrayBuffer());
    const sent = result.headers.get("content-type");
    response.writeHead(result.status, {
      ...(sent !== null && { "content-type": sent }),
      "content-length": bytes.length,
    });
    response.end(bytes);
  } catch (error) {
    // The request was cut off, or the service is stopping.
    response.destroy(error as Error);
  }
}

async function send(response: ServerResponse, method: string, { status, headers, body, from }: EdgeResult) {
  const all = { ...headers, "x-cache": `${from} from cloudfront` };
  if (method === "HEAD" || status === 304) return void response.writeHead(status, all).end();
  if (Buffer.isBuffer(body)) return void response.writeHead(status, all).end(body);
  await sendFilePart(response, body, { status, headers: all });
}
