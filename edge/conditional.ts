import type { EdgeRequest } from "./request.ts";

/**
 * Evaluates a request's preconditions on something that has an ETag and no time of modification (RFC 9110, section
 * 13.2.2): If-Match, then If-None-Match. Conditions on times are ignored, as section 13.1.3 says.
 *
 * @returns the status that ends the request; undefined where it goes on
 */
export function failedPrecondition({ headers }: EdgeRequest, etag: string): 304 | 412 | undefined {
  const { "if-match": ifMatch, "if-none-match": ifNoneMatch } = headers;
  if (ifMatch !== undefined && !isStrongMatch(ifMatch, etag)) return 412;
  if (ifNoneMatch !== undefined && isWeakMatch(ifNoneMatch, etag)) return 304;
  return undefined;
}

function isStrongMatch(list: string, etag: string): boolean {
  return list.trim() === "*" || tagsOf(list).includes(etag);
}

/** Caches on the way may have made a tag weak (RFC 9110, section 8.8.3.2). */
function isWeakMatch(list: string, etag: string): boolean {
  return (
    list.trim() === "*" ||
    tagsOf(list)
      .map((tag) => tag.replace(/^W\//, ""))
      .includes(etag)
  );
}

function tagsOf(list: string): string[] {
  return list.split(",").map((tag) => tag.trim());
}
