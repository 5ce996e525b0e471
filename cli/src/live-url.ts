import { isHttpsOrLocal } from "./api-url.ts";
import { UserError } from "./errors.ts";

/**
 * The URL where the live release of a project is played: the play URL of the API, or, if it has no games domain, its file
 * route.
 *
 * @throws UserError as {@link gameUrl} does
 */
export function liveUrl(api: URL, slug: string, playUrl: string | null): URL {
  return playUrl === null
    ? new URL(`projects/${encodeURIComponent(slug)}/files/index.html`, api)
    : gameUrl(api, slug, playUrl);
}

/**
 * A URL of a game's own host, or of a preview's, that the API sent.
 *
 * @throws UserError for anything but https, or http on this machine or of the local service, and for another host: the URL may be opened in a browser
 */
export function gameUrl(api: URL, slug: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const [label = ""] = url?.hostname.split(".") ?? [];
  // With SVC_HOST the local service has its games at a name on the network, and its own port.
  const isOfLocal =
    url?.protocol === "http:" && api.protocol === "http:" && isHttpsOrLocal(api) && url.port === api.port;
  if (url && (isHttpsOrLocal(url) || isOfLocal) && (label === slug || label.startsWith(`${slug}--`))) return url;
  throw new UserError(
    `${api.origin} sent a URL of the game that is neither https nor on this machine, or not the game's.`,
    {
      code: "unexpected_response",
    },
  );
}
