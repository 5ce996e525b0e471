import type { EdgeRequest } from "../request.ts";

/*
 * Chats and social networks read a link's page to show a card of it, without running its scripts. For `/` of a game they get the head of a
 * page with its card (docs/decisions/0024-a-game-has-its-own-origin.md#a-games-own-url-has-a-card).
 */

/** The path in the cache's key for what agents get for `/`. No file of a release is reachable there. */
export const cardPath = "/.well-known/svc/card";

/**
 * User agents that make cards: Discord, Slack, X, LinkedIn, Reddit, Pinterest, Misskey (SummalyBot); Telegram, which names X's; Facebook, with Instagram,
 * Threads and iMessage, which says to be it; WhatsApp, as which Signal asks; Mastodon; Bluesky; Teams; Matrix. No search engine is one: it is to find
 * the game. No app's own browser is one.
 */
const cardAgents =
  /(discord|slack|twitter|linkedin|reddit|pinterest|summaly)bot|externalhit|^whatsapp\/|mastodon\/|cardyb|@bsky\.app|uripreview|synapse/i;

/**
 * Whether a request is an agent's for the card of a game. What somebody says to be is believed: nobody gets more by it than the card.
 *
 * @param site a preview has none: whoever has its URL is to see the game alone
 */
export function asksForCard({ target, headers }: EdgeRequest, site: string): boolean {
  return target === "/" && !site.includes("--") && cardAgents.test(headers["user-agent"] || "");
}
