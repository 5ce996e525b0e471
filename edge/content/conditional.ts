import type { EdgeRequest } from "../request.ts";

/**
 * Whether a viewer has what has this ETag, by If-None-Match (RFC 9110, section 13.1.2). If-Match is ignored, as caches may
 * (section 13.1.1), and conditions on times, because nothing has one (section 13.1.3).
 */
export function isNotModified({ headers }: EdgeRequest, etag: string): boolean {
  const { "if-none-match": list } = headers;
  if (list === undefined) return false;
  // Caches on the way may have made a tag weak (section 8.8.3.2).
  const tags = list.split(",").map((tag) => tag.trim().replace(/^W\//, ""));
  return list.trim() === "*" || tags.includes(etag.replace(/^W\//, ""));
}
