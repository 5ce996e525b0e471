import { everywhere } from "../content/headers.ts";
import type { EdgeBody, EdgeHeaders, EdgeRequest, EdgeResponse } from "../request.ts";
import { isWorkerScript, startsVisit } from "../visit/visit.ts";
import { htmlOf, type OwnPage } from "./pages.ts";

/** Responses that no release has: pages of our own, and what takes their place for scripts and programs. */

/** A page of our own; if a service worker's script is fetched, the script that ends the worker. */
export function pageResponse(request: EdgeRequest, page: OwnPage, headers?: EdgeHeaders): EdgeResponse {
  return isWorkerScript(request) ? endOfWorker(request) : plainPageResponse(request, page, headers);
}

/** A page of our own for a person who opens it; its title for what a script or an image asks for. It ends no worker. */
export function plainPageResponse(request: EdgeRequest, page: OwnPage, headers?: EdgeHeaders): EdgeResponse {
  const isOpened = startsVisit(request);
  // Not by spreading, whose helper takes 200 bytes of a viewer function's 10 KB.
  const described = Object.assign({}, headers, {
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:",
  });
  return textResponse(request, {
    status: page.status,
    text: isOpened ? htmlOf(page) : `${page.title}\n`,
    type: `text/${isOpened ? "html" : "plain"}; charset=utf-8`,
    headers: described,
  });
}

/**
 * A browser whose update of a service worker gets 404 or 410 keeps the worker, and a worker that responds from its cache
 * goes on playing a game that is gone. This script replaces it, unregisters itself, and reloads the pages that the worker
 * controlled. A page that has just registered it is controlled by none, so it is not reloaded again and again.
 */
const lastScript = `addEventListener("install",()=>skipWaiting())
addEventListener("activate",()=>registration.unregister().then(()=>clients.matchAll()).then(all=>all.forEach(page=>page.navigate(page.url).catch(()=>{}))))
`;

export function endOfWorker(request: EdgeRequest): EdgeResponse {
  return textResponse(request, { status: 200, text: lastScript, type: "text/javascript; charset=utf-8" });
}

interface OwnText {
  readonly status: number;
  readonly text: string;
  readonly type: string;
  readonly headers?: EdgeHeaders;
}

/** A text of our own, which no cache may keep unless its headers say so. CloudFront counts its bytes. */
export function textResponse({ method }: EdgeRequest, { status, text, type, headers }: OwnText): EdgeResponse {
  const described = Object.assign({ "cache-control": "no-store" }, everywhere, headers, { "content-type": type });
  return { status, headers: described, body: method === "HEAD" ? undefined : { text: text } };
}

/** No body for HEAD, nor if no byte is to be sent. */
export function bodyFor({ method }: EdgeRequest, body: EdgeBody): EdgeBody | undefined {
  if (method === "HEAD" || ("end" in body && body.start === body.end)) return undefined;
  return body;
}
