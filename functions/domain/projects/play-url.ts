import * as environment from "../../environment.ts";

/**
 * Where a project is played; null where the service has no domain for games. Only the local service uses http, because
 * it has no certificate.
 */
export function playUrl(slug: string): string | null {
  const gamesDomain = environment.gamesDomain();
  if (gamesDomain === undefined) return null;
  const scheme = /^localhost(:\d+)?$/.test(gamesDomain) ? "http" : "https";
  return `${scheme}://${slug}.${gamesDomain}/`;
}
