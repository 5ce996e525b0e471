import { createHash } from "node:crypto";
import { defaultSettings, type Frame, type ReleaseSettings } from "../contract/api/release-settings.ts";
import type { Representation } from "./representation.ts";

/*
 * Who may show a game in a frame. A file of its own, because the viewer's functions, which have no node:crypto, import what is
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

/** Tells kinds of frames apart in an ETag, because a 304 takes no header away; undefined if everybody may frame it. */
function frameMark(representation: Representation, settings: ReleaseSettings): string | undefined {
  const { "content-security-policy": policy } = frameHeaders(representation, settings);
  return policy && createHash("sha256").update(policy).digest("hex").slice(0, 16);
}

/**
 * The ETag of a representation. It tells encodings, kinds of isolation and frames apart, because a 304 cannot take a header
 * away from the response that a browser has kept.
 */
export function etagOf(representation: Representation, settings: ReleaseSettings): string {
  const { object, contentEncoding } = representation;
  const { isolation } = settings;
  const kind = isolation === true ? "isolated" : isolation || undefined;
  const parts = [object.sha256, contentEncoding, kind, frameMark(representation, settings)];
  return `"${parts.filter((part) => part !== undefined).join(".")}"`;
}
