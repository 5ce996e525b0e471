import { isLoopback } from "./api-address.ts";
import { UserError } from "./errors.ts";

/**
 * Where the live release of a project is played: what the API names, or where it has no domain for games, its file route.
 *
 * @throws UserError for what is no web address: it may be handed to a browser, which opens other things too
 */
export function liveUrl(api: URL, slug: string, playUrl: string | null): URL {
  const text = playUrl ?? new URL(`projects/${encodeURIComponent(slug)}/files/index.html`, api).href;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback(url.hostname))) return url;
  throw new UserError(`${api.origin} named an address to play at that is neither https nor on this machine.`, {
    code: "unexpected_answer",
  });
}
