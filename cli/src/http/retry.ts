/** What a failed try asks for: another one, perhaps not before some time has passed. */
export interface Again {
  readonly why: string;
  /** The server's Retry-After, if it gave one. */
  readonly afterMilliseconds?: number | undefined;
}

export interface RetryOptions {
  /** Tries in all. */
  readonly tries: number;
  readonly firstDelayMilliseconds: number;
  /** A server that asks for a longer wait than this is given up at once. */
  readonly longestWaitMilliseconds: number;
  /** Says of a failure whether to try again; undefined: give it up. */
  again(failure: unknown): Again | undefined;
  onRetry(again: Again, delayMilliseconds: number): void;
  sleep?(milliseconds: number): Promise<unknown>;
  random?(): number;
}

/**
 * Runs `attempt` until it succeeds, with a delay that doubles and of which a random half is left out, so that many
 * clients that failed together do not come back together. Retry-After is waited for in full.
 *
 * @throws the last failure, where none of the tries succeeded or `again` gave it up
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { sleep = wait, random = Math.random } = options;
  for (let number = 1; ; number += 1) {
    try {
      return await attempt();
    } catch (failure) {
      const again = number < options.tries ? options.again(failure) : undefined;
      if (again === undefined || (again.afterMilliseconds ?? 0) > options.longestWaitMilliseconds) throw failure;
      const backoff = options.firstDelayMilliseconds * 2 ** (number - 1) * (0.5 + random() / 2);
      const delay = Math.max(Math.round(backoff), again.afterMilliseconds ?? 0);
      options.onRetry(again, delay);
      await sleep(delay);
    }
  }
}

function wait(milliseconds: number): Promise<unknown> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Reads Retry-After: seconds or an HTTP date (RFC 9110, section 10.2.3). Undefined where it says neither. */
export function retryAfterMilliseconds(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1_000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now.getTime());
}
