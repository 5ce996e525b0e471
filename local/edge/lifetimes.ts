/** Seconds for which a distribution keeps a response, as its settings say. */
export interface Lifetimes {
  readonly minimum: number;
  readonly default: number;
  readonly maximum: number;
  /** The error caching minimum of a status. */
  readonly errors: Readonly<Record<number, number>>;
}

const defaultErrorSeconds = 10;
const alwaysKept = [404, 414, 500, 501, 502, 503, 504];

/**
 * For how many seconds CloudFront keeps a response ("Manage how long content stays in the cache" and "How CloudFront processes
 * HTTP 4xx and 5xx status codes from your origin" of its Developer Guide). It keeps no 416.
 */
export function keptSeconds(
  { status, headers }: { readonly status: number; readonly headers: Readonly<Record<string, string>> },
  lifetimes: Lifetimes,
): number {
  const cacheControl = headers["cache-control"] ?? "";
  const said = /s-maxage=(\d+)/.exec(cacheControl)?.[1] ?? /max-age=(\d+)/.exec(cacheControl)?.[1];
  if (status === 416) return 0;
  const isPrivate = /no-store|no-cache|private/.test(cacheControl);
  if (status >= 400) {
    if (!alwaysKept.includes(status) && (isPrivate || said === undefined)) return 0;
    if (isPrivate) return errorSeconds(status, lifetimes);
    return Math.max(Math.min(Number(said ?? 0), lifetimes.maximum), errorSeconds(status, lifetimes));
  }
  if (isPrivate) return lifetimes.minimum;
  return Math.min(Math.max(Number(said ?? lifetimes.default), lifetimes.minimum), lifetimes.maximum);
}

/** Time for which CloudFront keeps an error at least, and serves instead of it what it still has of before. */
export function errorSeconds(status: number, { errors }: Lifetimes): number {
  return errors[status] ?? defaultErrorSeconds;
}
