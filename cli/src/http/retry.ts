import type { IncomingHttpHeaders } from "node:http";
import { setTimeout } from "node:timers/promises";
import { serverNow, timeOfResponse } from "../../../contract/api/server-time.ts";

/** A decision to retry. */
export interface Retry {
  readonly why: string;
  /** Whether the network is away, which {@link Patience} waits for. */
  readonly isLost?: boolean;
  /** The earliest time for it: the server's Retry-After. */
  readonly afterMilliseconds?: number | undefined;
}

/** For how long requests go on while the network is away, and what is said meanwhile. All requests of a publication share it. */
export interface Patience {
  readonly longestMilliseconds: number;
  /** Ends the waiting with its reason. */
  readonly signal: AbortSignal;
  onLost(retry: Retry): void;
  /** The network is there (again). */
  onResponse(): void;
}

/** A wait while the network is away is no longer than this: people who come back do not wait for minutes. */
const longestLostDelayMilliseconds = 10_000;

const firstDelayMilliseconds = 250;
/** There is no retry if the server asks for a longer wait. */
const longestWaitMilliseconds = 60_000;

export interface RetryOptions {
  /** The maximum number of tries. */
  readonly tries: number;
  /** Decides whether to retry after a failure; undefined: no. */
  retryFor(failure: unknown): Retry | undefined;
  onRetry?(retry: Retry, delayMilliseconds: number): void;
  readonly patience?: Patience | undefined;
  sleep?(milliseconds: number, signal?: AbortSignal): Promise<unknown>;
  now?(): number;
  random?(): number;
}

/**
 * Runs `attempt` until it succeeds. The delay doubles each time, and up to half of it is random, so that clients that failed
 * together do not retry together. Retry-After is waited for in full. Tries while the network is away do not count if there is
 * patience for it.
 *
 * @throws the last failure, after the last try or if `retryFor` decides against a retry
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { sleep = wait, random = Math.random, now = () => performance.now(), patience } = options;
  let lostSince: number | undefined;
  for (let number = 1; ; number += 1) {
    try {
      const result = await attempt();
      patience?.onResponse();
      return result;
    } catch (failure) {
      const retry = options.retryFor(failure);
      if (patience && retry?.isLost) lostSince ??= now();
      else if (lostSince !== undefined) [number, lostSince] = [1, undefined];
      const isWaiting = lostSince !== undefined && now() - lostSince < (patience?.longestMilliseconds ?? 0);
      if (retry === undefined || (number >= options.tries && !isWaiting)) throw failure;
      if ((retry.afterMilliseconds ?? 0) > longestWaitMilliseconds) throw failure;
      const backoff = firstDelayMilliseconds * 2 ** (number - 1) * (0.5 + random() / 2);
      const limited = isWaiting ? Math.min(backoff, longestLostDelayMilliseconds) : backoff;
      const delay = Math.max(Math.round(limited), retry.afterMilliseconds ?? 0);
      if (isWaiting) patience?.onLost(retry);
      else options.onRetry?.(retry, delay);
      await sleep(delay, patience?.signal);
    }
  }
}

async function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await setTimeout(milliseconds, undefined, signal && { signal }).catch(() => signal?.throwIfAborted());
}

/**
 * Reads Retry-After: seconds or an HTTP date (RFC 9110, section 10.2.3). A date counts from that of the response, because this
 * machine's clock may be off. Undefined for anything else.
 */
export function retryAfterMilliseconds(headers: IncomingHttpHeaders): number | undefined {
  const { "retry-after": header, date: sentAt, age } = headers;
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - (timeOfResponse(sentAt, age) || serverNow()));
}
