import type { EdgeHeaders, EdgeRequest, EdgeResponse } from "../request.ts";
import { pageResponse } from "./own-response.ts";
import { escaped, notFound, type OwnPage, report, withReportLink } from "./pages.ts";

/*
 * Pages of ours that name a game which is live. The function at the origin makes them: one of a viewer knows no name, and has no room for a picture.
 */

/** Facts about a game that everybody may see. */
export interface ShownGame {
  readonly name: string;
  /** The path of its picture's URL; undefined: it has none. */
  readonly picture: string | undefined;
}

export interface NamedPage {
  /** Undefined: nothing of it may be shown, or it could not be read. */
  readonly game: ShownGame | undefined;
  /** URL for reporting the game; undefined if the operator has set none. */
  readonly reportUrl: string | undefined;
  readonly headers: EdgeHeaders;
}

/** The page for what is not in the game. */
export function missingPageOf(request: EdgeRequest, named: NamedPage): EdgeResponse {
  return namedResponse(request, notFound, named);
}

/** The page on which the game is reported. */
export function reportPageOf(request: EdgeRequest, named: NamedPage): EdgeResponse {
  return namedResponse(request, report, named);
}

function namedResponse(request: EdgeRequest, page: OwnPage, { game, reportUrl, headers }: NamedPage): EdgeResponse {
  const response = pageResponse(request, withReportLink(withGame(page, game), reportUrl), headers);
  const { "content-security-policy": policy } = response.headers;
  if (game?.picture === undefined || policy === undefined) return response;
  const pictured = String(policy).replace("img-src", "img-src 'self'");
  return { ...response, headers: { ...response.headers, "content-security-policy": pictured } };
}

function withGame(page: OwnPage, game: ShownGame | undefined): OwnPage {
  if (game === undefined) return page;
  const { name, picture } = game;
  // Its height is known before it comes, so nothing moves.
  const look = "display:block;height:9em;max-width:100%;margin-bottom:.5em;object-fit:contain;object-position:0";
  const image = picture === undefined ? "" : `<img src="${escaped(picture)}" alt="" style="${look}">`;
  return { ...page, text: `${image}<strong><bdi>${escaped(name)}</bdi></strong><br>${page.text}` };
}
