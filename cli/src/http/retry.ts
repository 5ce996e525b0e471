import type { IncomingHttpHeaders } from "node:http";
import { serverNow, timeOfResponse } from "../../../contract/api/server-time.ts";

/** A decision to retry. */
export interface Retry {
  readonly why: string;
  /** The earliest time for it: the server's Retry-After. */
  readonly afterMilliseconds?: number | undefined;
}

export interface RetryOptions {
  /** The maximum number of tries. */
  readonly tries: number;
  readonly firstDelayMilliseconds: number;
  /** There is no retry if the server asks for a longer wait. */
  readonly longestWaitMilliseconds: number;
  /** Decides whether to retry after a failure; undefined: no. */
  retryFor(failure: unknown): Retry | undefined;
  onRetry(retry: Retry, delayMilliseconds: number): void;
  sleep?(milliseconds: number): Promise<unknown>;
  random?(): number;
}

/**
 * Runs `attempt` until it succeeds. The delay doubles each time, and up to half of it is random, so that clients that failed
 * together do not retry together. Retry-After is waited for in full.
 *
 * @throws the last failure, after the last try or if `retryFor` decides against a retry
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { sleep = wait, random = Math.random } = options;
  for (let number = 1; ; number += 1) {
    try {
      return await attempt();
    } catch (failure) {
      const retry = number < options.tries ? options.retryFor(failure) : undefined;
      if (retry === undefined || (retry.afterMilliseconds ?? 0) > options.longestWaitMilliseconds) throw failure;
      const backoff = options.firstDelayMilliseconds * 2 ** (number - 1) * (0.5 + random() / 2);
      const delay = Math.max(Math.round(backoff), retry.afterMilliseconds ?? 0);
      options.onRetry(retry, delay);
      await sleep(delay);
    }
  }
}

function wait(milliseconds: number): Promise<unknown> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
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
