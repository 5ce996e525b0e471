import { releasesHeader, tagHeader } from "../../edge/cache/cache-key.ts";

/*
 * Cache settings of CloudFront for the games' responses: for the template (games-edge.ts), and for the model of CloudFront on one machine
 * (local/edge), which cannot wait for a synthesis. A test compares both.
 */

/** Seconds. */
export const gamesLifetimes = {
  minimum: 0,
  /** For a response that does not say how long it is kept. */
  default: 0,
  maximum: 31_536_000,
  /** For which CloudFront keeps an error at least, by its status; 10 by default. */
  errors: { 403: 1, 404: 0, 416: 0, 500: 1, 502: 1, 503: 1, 504: 1 },
} as const;

/** The headers of the viewer's request that go to the origin, beside those that always do. */
export const originHeaders = [releasesHeader] as const;

/**
 * Headers that CloudFront adds to and removes from each response of its cache or the origin, also to errors, for which
 * no function at the viewer runs. HSTS is for a game's own host: nothing below it has a certificate, so `includeSubDomains`
 * takes nothing away, and keeps a network from setting the game's cookies by http there. No `preload`: only
 * the owner of the whole registered domain can ask browsers' makers for it, and it cannot be taken back soon.
 */
export const gamesResponseHeaders = {
  added: { "strict-transport-security": "max-age=31536000; includeSubDomains" },
  removed: [tagHeader],
} as const;
