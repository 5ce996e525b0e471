import { previewKey } from "../../../edge/pointer.ts";
import * as environment from "../../environment.ts";

/**
 * Where a project is played; null where the service has no domain for games. Only the local service uses http, because
 * it has no certificate.
 */
export function playUrl(slug: string): string | null {
  return urlOf(slug);
}

/** Where an open release is played before it goes live; null as for {@link playUrl}. */
export function previewUrl(slug: string, manifest: string): string | null {
  return urlOf(previewKey(slug, manifest));
}

function urlOf(label: string): string | null {
  const gamesDomain = environment.gamesDomain();
  if (gamesDomain === undefined) return null;
  const scheme = /^localhost(:\d+)?$/.test(gamesDomain) ? "http" : "https";
  return `${scheme}://${label}.${gamesDomain}/`;
}
