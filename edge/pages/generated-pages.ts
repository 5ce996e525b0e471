import { type CacheKey, cacheTag, foundHeader, tagHeader } from "../cache/cache-key.ts";
import { revalidated } from "../content/headers.ts";
import { slugOfKey } from "../project/pointer.ts";
import type { EdgeRequest, EdgeResponse } from "../request.ts";
import { type NamedPage, reportPageOf } from "./named-pages.ts";
import { endOfWorker, pageResponse, textResponse } from "./own-response.ts";
import { noRelease } from "./pages.ts";

/*
 * The responses with pages that the function at the origin makes.
 */

export interface PageText {
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface PageRequest {
  readonly key: CacheKey;
  readonly request: EdgeRequest;
}

/** It shows what is live, and changes that its owner makes of its texts are there a minute later. */
const publicPageSeconds = 60;

export function publicPageResponse(made: PageRequest, page: PageText | undefined): EdgeResponse {
  if (page === undefined) return pageResponse(made.request, noRelease());
  return madePageResponse(made, page, { "cache-control": `public, max-age=${publicPageSeconds}` });
}

/** The page on which the game is reported, kept as the public page. */
export function reportResponse(
  { key, request }: PageRequest,
  page: Pick<NamedPage, "game" | "reportUrl">,
): EdgeResponse {
  const headers = {
    "cache-control": `public, max-age=${publicPageSeconds}`,
    [tagHeader]: cacheTag(slugOfKey(key.site)),
  };
  return reportPageOf(request, { ...page, headers });
}

/**
 * The card stands at the URL of the game's first page, so a cache between edge and agent has to ask each time: nobody who wants to play
 * gets it from there.
 */
export function cardResponse(made: PageRequest, page: PageText | undefined): EdgeResponse {
  if (page === undefined) return pageResponse(made.request, noRelease());
  return madePageResponse(made, page, { "cache-control": `${revalidated}, s-maxage=${publicPageSeconds}` });
}

/**
 * The page begins a visit, as a page of the game does: the game in its frame belongs to it. It is isolated if the game is, because
 * the game in its frame could not be otherwise.
 *
 * @param live undefined: no visit begins
 */
export function optionPageResponse(made: PageRequest, page: PageText, live: string | undefined): EdgeResponse {
  const visit = live === undefined ? {} : { [foundHeader]: live };
  return madePageResponse(made, page, { "cache-control": "no-cache, s-maxage=60", ...visit });
}

function madePageResponse(
  { key, request }: PageRequest,
  { html, headers }: PageText,
  cacheHeaders: Readonly<Record<string, string>>,
): EdgeResponse {
  if (key.purpose === "worker") return endOfWorker(request);
  return textResponse(request, {
    status: 200,
    text: html,
    type: "text/html; charset=utf-8",
    headers: { ...headers, ...cacheHeaders, [tagHeader]: cacheTag(slugOfKey(key.site)) },
  });
}
