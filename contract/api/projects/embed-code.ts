import type { Isolation } from "../releases/release-settings.ts";

/** The HTML of a frame for another page, with what games ask of one. Isolation needs `cross-origin-isolated`; for other games it changes nothing. */
export function embedCode(url: string, name: string): string {
  const title = name.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");
  const allow = "autoplay; fullscreen; gamepad; cross-origin-isolated";
  return `<iframe src="${url}" title="${title}" width="960" height="540" allow="${allow}"></iframe>`;
}

/**
 * Advice on what the page around the frame must do; undefined if nothing. A frame is isolated only if every page around it is
 * (HTML, "cross-origin isolated").
 */
export function embedAdvice(isolation: Isolation): string | undefined {
  if (isolation === false) return undefined;
  return (
    "Its threads start only on a page that is isolated too, by the headers Cross-Origin-Opener-Policy: same-origin and " +
    "Cross-Origin-Embedder-Policy: require-corp. On any other page, put a link to the game instead."
  );
}
