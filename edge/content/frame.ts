import { createHash } from "node:crypto";
import { defaultSettings, type Frame, type ReleaseSettings } from "../../contract/api/releases/release-settings.ts";
import { preloadHeaders } from "./headers.ts";
import type { Representation } from "./representation.ts";

/*
 * Sites that may show a game in a frame. A file of its own, because the viewer's functions, which have no node:crypto, import what is
 * beside it in headers.ts.
 */

/**
 * Frames are about documents alone. A page of the game's own origin may always frame it: games are made of frames too, and
 * the service's own pages show the game in one.
 */
export function frameHeaders(
  { isDocument }: Representation,
  { frame }: ReleaseSettings,
): Readonly<Record<string, string>> {
  if (!isDocument || frame === defaultSettings.frame) return {};
  return { "content-security-policy": policyOf(frame) };
}

function policyOf(frame: Frame): string {
  const others = typeof frame === "string" ? [] : frame;
  return ["frame-ancestors 'self'", ...others].join(" ");
}

/** Tells headers of a page apart in an ETag, because a 304 takes no header away; undefined if it has none of them. */
function headersMark(representation: Representation, settings: ReleaseSettings): string | undefined {
  const { "content-security-policy": policy } = frameHeaders(representation, settings);
  const { link } = preloadHeaders(representation, settings);
  const text = [policy, link].filter((value) => value !== undefined).join("\n");
  return text === "" ? undefined : createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/**
 * The ETag of a representation. It tells encodings, kinds of isolation, frames and preloaded files apart, because a 304 cannot take a header
 * away from the response that a browser has kept.
 */
export function etagOf(representation: Representation, settings: ReleaseSettings): string {
  const { object, contentEncoding } = representation;
  return tagOf([object.sha256, contentEncoding, kindOf(settings), headersMark(representation, settings)]);
}

/**
 * The ETag of a file at a URL that names its content. As everywhere it names one encoding, or a range would be compared with the bytes of
 * another (RFC 9110, section 8.8.3.3). The file as it is says so, because an earlier version gave its hash alone to each encoding there,
 * and browsers keep that for a year.
 */
export function namedContentEtag(
  { object, contentEncoding = "identity" }: Representation,
  settings: ReleaseSettings,
): string {
  return tagOf([object.sha256, contentEncoding, kindOf(settings)]);
}

function kindOf({ isolation }: ReleaseSettings): string | undefined {
  return isolation === true ? "isolated" : isolation || undefined;
}

function tagOf(parts: readonly (string | undefined)[]): string {
  return `"${parts.filter((part) => part !== undefined).join(".")}"`;
}
