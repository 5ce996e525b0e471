import { isHttpsOrLocal } from "./api-url.ts";
import { UserError } from "./errors.ts";

/**
 * The URL where the live release of a project is played: the play URL of the API, or, if it has no games domain, its file
 * route.
 *
 * @throws UserError for anything but https, or http on this machine: the URL may be opened in a browser
 */
export function liveUrl(api: URL, slug: string, playUrl: string | null): URL {
  const text = playUrl ?? new URL(`projects/${encodeURIComponent(slug)}/files/index.html`, api).href;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && isHttpsOrLocal(url)) return url;
  throw new UserError(`${api.origin} sent a play URL that is neither https nor on this machine.`, {
    code: "unexpected_response",
  });
}
