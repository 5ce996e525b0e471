import { releasesHeader } from "./cache/cache-key.ts";
import { deltaMarkLength, placeOf } from "./cache/place.ts";
import { deltaKey, dictionaryOf, placedPathOf } from "./content/named-content.ts";
import type { ViewerRequest, ViewerResponse } from "./events/viewer-event.ts";
import { asksForCard, cardPath } from "./pages/card-agents.ts";
import {
  cloudfront,
  purposeOf,
  readProjectOrRespond,
  rewriteToCacheKey,
  rewriteUnknown,
} from "./project/viewer-project.ts";
import type { EdgeRequest } from "./request.ts";
import { chooseReleases, isWithoutDestination } from "./visit/visit.ts";
import { opensForNewOwner } from "./visit/visit-headers.ts";

/**
 * CloudFront runs it for every request to the games domain, before it looks into its cache. Responds to what needs no release,
 * else makes the request's URI the key of the cache. What else the origin's function needs is in a header that is no part of
 * the key.
 */
export async function handler(event: { readonly request: ViewerRequest }): Promise<ViewerRequest | ViewerResponse> {
  const read = await readProjectOrRespond(event.request);
  if ("response" in read) return read.response;
  const { request, site, project } = read;
  // The card has a key of its own, which nothing else of the request chooses, so it never stands for the page at players.
  if (asksForCard(request, site)) event.request.uri = cardPath;
  if (project === undefined) {
    logRequest("", request, event.request);
    return rewriteUnknown(event.request, read);
  }
  if (event.request.uri === cardPath) {
    logRequest(project.live, request, event.request);
    return rewriteToCacheKey(event.request, request, { site, release: project.live, isWhole: true });
  }
  const order = chooseReleases(request, project);
  // It has at least one.
  const release = order[0] as string;
  logRequest(release, request, event.request);
  const path = placedPathOf(read.target.path);
  // A page and a worker's script are kept under the release that their response names to the browser.
  const place = purposeOf(request) === "file" && placeOf(path, project, release);
  const isWhole = opensForNewOwner(request, project);
  const dictionary = dictionaryOf(request) && deltaKey(path, dictionaryOf(request));
  // Strangers do not know the URL of a preview.
  const isKnown = !project.places || project.places.deltas.includes(dictionary.slice(0, deltaMarkLength));
  const key = { site, release: place || release, isWhole: isWhole, dictionary: isKnown ? dictionary : "" };
  const keyedRequest = rewriteToCacheKey(event.request, request, key);
  keyedRequest.headers[releasesHeader] = { value: [project.live, project.earlier[0] || ""].concat(order).join(".") };
  return keyedRequest;
}

/**
 * Logs the release and what the request is for (log-fields.ts). A page that is prefetched may never be opened, and one that a
 * service worker fetches by itself may be kept for later: then nobody has played.
 */
function logRequest(release: string, request: EdgeRequest, { headers, uri }: ViewerRequest): void {
  const { "sec-fetch-mode": mode, "upgrade-insecure-requests": upgrade } = request.headers;
  const isPassedOn = mode === "navigate" || upgrade !== undefined;
  const isOpened =
    request.method === "GET" &&
    purposeOf(request) === "page" &&
    uri !== cardPath &&
    !headers["sec-purpose"] &&
    (isPassedOn || !isWithoutDestination(request));
  cloudfront.logCustomData(release + (isOpened ? ".p" : ".f"));
}
