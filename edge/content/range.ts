import type { EdgeRequest } from "../request.ts";

/** Bytes from `start` to before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

const singleRange = /^bytes=[ \t]*(?:(\d+)-(\d*)|-(\d+))[ \t]*$/i;

/** Whether a request has one range: what caches and S3 do with several differs. */
export function hasSingleRange({ method, headers: { range } }: EdgeRequest): boolean {
  return method === "GET" && range !== undefined && singleRange.test(range);
}

/**
 * The range that a GET asks for (RFC 9110, section 14.2).
 *
 * @returns undefined if the whole file is to be sent: there is no range, more than one, a malformed one, one of
 * another unit, or one for other bytes (If-Range); "unsatisfiable" if no byte of it exists
 */
export function requestedRange(
  { method, headers }: EdgeRequest,
  { size, etag }: { readonly size: number; readonly etag: string },
): ByteRange | "unsatisfiable" | undefined {
  const { range, "if-range": ifRange } = headers;
  if (method !== "GET" || range === undefined) return undefined;
  // A time never matches, because there is no Last-Modified; a weak tag never does (RFC 9110, section 13.1.5).
  if (ifRange !== undefined && ifRange.trim() !== etag) return undefined;
  const match = singleRange.exec(range);
  if (match === null) return undefined;
  const [, first, last, suffix] = match;
  if (first === undefined) {
    const length = Math.min(Number(suffix), size);
    return length === 0 ? "unsatisfiable" : { start: size - length, end: size };
  }
  const start = Number(first);
  const end = last ? Number(last) + 1 : size;
  if (last && start >= end) return undefined;
  return start < size ? { start, end: Math.min(end, size) } : "unsatisfiable";
}
