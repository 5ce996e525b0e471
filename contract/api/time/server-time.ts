import { durationUntil } from "./durations.ts";

/*
 * The time as the server tells it. A client's own clock may be hours off, and what it gets (upload URLs, tokens, ID tokens) expires by
 * the server's. Each process, and each page of the dashboard, has one server.
 */

/** Differences up to this are none: `Date` has whole seconds, and a response is under way for a moment. */
const toleranceMilliseconds = 2_000;
const toldFromMilliseconds = 2 * 60_000;

let offsetMilliseconds = 0;

/** Notes what time it is for the server, in milliseconds since 1970. */
export function noteServerTime(milliseconds: number): void {
  const offset = milliseconds - Date.now();
  if (Number.isFinite(offset)) offsetMilliseconds = Math.abs(offset) < toleranceMilliseconds ? 0 : offset;
}

/** When a response was made, by its `Date` and, if a cache has kept it, `Age` (RFC 9111, section 4.2.3). NaN without `Date`. */
export function timeOfResponse(date: string | null | undefined, age?: string | null): number {
  return Date.parse(date ?? "") + (Number(age) || 0) * 1_000;
}

/**
 * Reads Retry-After: seconds or an HTTP date (RFC 9110, section 10.2.3). A date counts from that of the response, because this
 * machine's clock may be off. Undefined for anything else.
 *
 * @param header a response header by its name
 */
export function retryAfterMilliseconds(header: (name: string) => string | null | undefined): number | undefined {
  const text = header("retry-after")?.trim();
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date)
    ? undefined
    : Math.max(0, date - (timeOfResponse(header("date"), header("age")) || serverNow()));
}

/** The server's time in milliseconds since 1970, or this machine's until the server has responded. */
export function serverNow(): number {
  return Date.now() + offsetMilliseconds;
}

/**
 * Whether a release went live after a time of {@link serverNow}, and another one, or none, has taken its place since. If a response was
 * lost, the call that made it live must not be repeated then.
 */
export function wasReplaced(
  { status, published_at: at }: { readonly status: string; readonly published_at: string | null },
  since: number,
): boolean {
  // The server cuts its times to whole seconds.
  return status !== "live" && at !== null && Date.parse(at) >= since - toleranceMilliseconds - 1_000;
}

/** Error of this machine's clock, as in "2 hours ahead", if it is above two minutes. */
export function clockError(): string | undefined {
  const byMilliseconds = Math.abs(offsetMilliseconds);
  if (byMilliseconds <= toldFromMilliseconds) return undefined;
  return `${durationUntil(new Date(byMilliseconds).toISOString(), 0)} ${offsetMilliseconds < 0 ? "ahead" : "behind"}`;
}
