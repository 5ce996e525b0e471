import type { CloudFrontHeaders } from "aws-lambda";
import { failedPrecondition } from "../../../edge/conditional.ts";
import { requestedRange } from "../../../edge/range.ts";

/** A response in CloudFront's cache, or on its way to the viewer. */
export interface Entry {
  readonly status: number;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** What a distribution says of how long it keeps a response. */
export interface Lifetimes {
  readonly minimum: number;
  readonly default: number;
  readonly maximum: number;
  /** The error caching minimum of a status; 10 where it has none. */
  readonly errors: Readonly<Record<number, number>>;
}

const alwaysKept = [404, 414, 500, 501, 502, 503, 504];

/**
 * For how many seconds CloudFront keeps a response ("Manage how long content stays in the cache" and "How CloudFront processes
 * HTTP 4xx and 5xx status codes from your origin" of its Developer Guide).
 */
export function keptSeconds({ status, headers }: Entry, lifetimes: Lifetimes): number {
  const cacheControl = headers["cache-control"] ?? "";
  const said = /s-maxage=(\d+)/.exec(cacheControl)?.[1] ?? /max-age=(\d+)/.exec(cacheControl)?.[1];
  if (status >= 400) {
    if (!alwaysKept.includes(status) && said === undefined) return 0;
    return Math.max(Number(said ?? 0), lifetimes.errors[status] ?? 10);
  }
  if (/no-store|no-cache|private/.test(cacheControl)) return lifetimes.minimum;
  return Math.min(Math.max(Number(said ?? lifetimes.default), lifetimes.minimum), lifetimes.maximum);
}

/** What a cache makes of a whole response that it has, for a request with conditions or a range (RFC 9111, section 4.3.2). */
export function fromCache(entry: Entry, method: string, sent: Readonly<Record<string, string | undefined>>): Entry {
  // What no cache may keep goes on as it is.
  if (entry.status !== 200 || entry.headers["cache-control"] === "no-store") return entry;
  const etag = entry.headers["etag"] ?? "";
  const request = { method, target: "", headers: sent };
  const {
    "content-type": _,
    "content-encoding": __,
    "accept-ranges": ___,
    "content-length": ____,
    ...always
  } = entry.headers;
  if (
    etag !== "" &&
    failedPrecondition({ ...request, headers: { "if-none-match": sent["if-none-match"] } }, etag) === 304
  )
    return { status: 304, headers: always, body: Buffer.alloc(0) };
  const range = requestedRange(request, { size: entry.body.length, etag });
  if (range === undefined) return entry;
  const size = entry.body.length;
  if (range === "unsatisfiable")
    return { status: 416, headers: { ...always, "content-range": `bytes */${size}` }, body: Buffer.alloc(0) };
  const { start, end } = range;
  const headers = {
    ...entry.headers,
    "content-range": `bytes ${start}-${end - 1}/${size}`,
    "content-length": String(end - start),
  };
  return { status: 206, headers, body: entry.body.subarray(start, end) };
}

/** Headers in the form of Lambda@Edge's events. */
export function eventHeaders(headers: Readonly<Record<string, string | undefined>>): CloudFrontHeaders {
  const sent = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(sent.map(([name, value]) => [name, [{ key: name, value }]]));
}

export function plainHeaders(headers: CloudFrontHeaders = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, values.map(({ value }) => value).join(", ")]),
  );
}

/**
 * CloudFront responds with 502 where a function changes a header that it may only read, or adds one that it may not ("Restrictions
 * on all edge functions").
 */
export function assertAllowed(
  readOnly: readonly string[],
  before: Readonly<Record<string, string | undefined>>,
  after: Readonly<Record<string, string | undefined>>,
): void {
  for (const name of readOnly)
    if (before[name] !== after[name]) throw new Error(`A function changed the read-only header ${name}`);
  const disallowed =
    /^(connection|expect|keep-alive|proxy-.*|trailer|upgrade|x-accel-.*|x-amz-cf-.*|x-amzn-.*|x-cache|x-edge-.*|x-forwarded-proto|x-real-ip)$/;
  for (const name of Object.keys(after))
    if (disallowed.test(name)) throw new Error(`A function added the header ${name}`);
}
