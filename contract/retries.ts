import { ApiError, type ApiResponse, errorOf, NetworkError } from "./api-error.ts";

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
  /** The maximum number of tries while a server responds. */
  readonly tries: number;
  /** Ends the waiting, for the network and for a response, with its reason. */
  readonly signal: AbortSignal;
  onLost(retry: Retry, failure: unknown): void;
  /** The network is there again. */
  onResponse(): void;
  /** Waits for so long, or for a sign that the network is back. By default {@link wait}. */
  sleep?(milliseconds: number, signal?: AbortSignal): Promise<unknown>;
}

/** A wait while the network is away is no longer than this: people who come back do not wait for minutes. */
const longestLostDelayMilliseconds = 10_000;

const firstDelayMilliseconds = 250;
/** There is no retry if the server asks for a longer wait. */
const longestWaitMilliseconds = 60_000;

export interface RetryOptions {
  /** The maximum number of tries. */
  readonly tries: number;
  /** Decides whether to retry after a failure; undefined: no. By default {@link retryFor}. */
  retryFor?(failure: unknown): Retry | undefined;
  onRetry?: ((retry: Retry, delayMilliseconds: number) => void) | undefined;
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
  const { patience, random = Math.random, now = () => performance.now() } = options;
  const sleep = options.sleep ?? patience?.sleep ?? wait;
  let lostSince: number | undefined;
  let wasLost = false;
  for (let number = 1; ; number += 1) {
    try {
      const result = await attempt();
      if (wasLost) patience?.onResponse();
      return result;
    } catch (failure) {
      const retry = (options.retryFor ?? retryFor)(failure);
      if (patience && retry?.isLost) lostSince ??= now();
      else if (lostSince !== undefined) [number, lostSince] = [1, undefined];
      const isWaiting = lostSince !== undefined && now() - lostSince < (patience?.longestMilliseconds ?? 0);
      if (retry === undefined || (number >= options.tries && !isWaiting)) throw failure;
      if ((retry.afterMilliseconds ?? 0) > longestWaitMilliseconds) throw failure;
      const backoff = firstDelayMilliseconds * 2 ** (number - 1) * (0.5 + random() / 2);
      const limited = isWaiting ? Math.min(backoff, longestLostDelayMilliseconds) : backoff;
      const delay = Math.max(Math.round(limited), retry.afterMilliseconds ?? 0);
      wasLost ||= isWaiting;
      if (isWaiting) patience?.onLost(retry, failure);
      else options.onRetry?.(retry, delay);
      patience?.signal.throwIfAborted();
      await sleep(delay, patience?.signal);
    }
  }
}

/**
 * Sends a request, again if it fails so that it can succeed later.
 *
 * @returns the last response, whatever its status
 * @throws NetworkError if the last try got none
 */
export async function lastResponse<Response extends ApiResponse>(
  send: () => Promise<Response>,
  url: URL,
  options: RetryOptions,
): Promise<Response> {
  let refused: Response | undefined;
  const attempt = async () => {
    refused = undefined;
    const response = await send();
    if (response.status < 400) return response;
    refused = response;
    throw errorOf(response, url);
  };
  return await withRetries(attempt, options).catch((failure: unknown) => {
    if (refused === undefined) throw failure;
    return refused;
  });
}

/** Whether a request that failed so can succeed later: no response came, or the server has trouble or is at it. */
export function retryFor(failure: unknown): Retry | undefined {
  if (failure instanceof NetworkError)
    return failure.isTransient ? { why: failure.message, isLost: failure.isLost } : undefined;
  if (!(failure instanceof ApiError)) return undefined;
  const { code, status, retryAfterMilliseconds: afterMilliseconds } = failure;
  // An earlier try of this creation, whose response was not waited for, is under way.
  const isRepeatable = code === "idempotency_key_in_use" || status === 429 || (status >= 500 && status !== 501);
  return isRepeatable ? { why: `The API responded with ${status}.`, afterMilliseconds } : undefined;
}

/** Waits. @throws the signal's reason */
export async function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
    if (signal?.aborted) stop();
  });
}

/** The result of work, or the signal's reason at once if it aborts. The work itself goes on. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const stop = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([aborted.promise, work]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Whether no export function of the API has seen the request. */
export function isUnhandled(failure: unknown): boolean {
  return failure instanceof NetworkError ? failure.isUnsent : failure instanceof ApiError && failure.status === 429;
}
