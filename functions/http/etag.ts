import { createHash } from "node:crypto";

/** The ETag of bytes: their SHA-256. */
export function etagOf(bytes: Buffer): string {
  return `"${createHash("sha256").update(bytes).digest("hex")}"`;
}

/** The weak comparison that If-None-Match asks for (RFC 9110, section 8.8.3.2). */
export function isAmong(etag: string, ifNoneMatch: string | undefined): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return tags.includes(etag) || tags.includes("*");
}
