import { createHash } from "node:crypto";

/**
 * Directives of every page that the function at the origin makes. They refuse to load anything else, and to be in a frame of
 * another page.
 */
const others = ["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"];

/** Headers of a page that loads only what these directives say, and tells nobody where its visitor comes from. */
export function pageHeaders(directives: readonly string[]): Readonly<Record<string, string>> {
  return {
    "content-security-policy": ["default-src 'none'", ...directives, ...others].join("; "),
    "referrer-policy": "no-referrer",
  };
}

/** The source of a directive that allows this inline script or style (CSP Level 3, section 2.3.1). */
export function inlineSource(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
