import { setTimeout as delay } from "node:timers/promises";
import { StorageUnavailableError } from "./storage-unavailable-error.ts";

interface RetryPolicy {
  readonly maximumAttempts: number;
  /** Each following pause is twice as long, up to 400 ms; each is multiplied by a random factor from 0.5 to 1.5. */
  readonly firstPauseMilliseconds: number;
  readonly isTransient: (error: unknown) => boolean;
}

const longestPauseMilliseconds = 400;

/**
 * Calls `attempt`, with the number of the attempt from 1 on, until it succeeds.
 *
 * @throws StorageUnavailableError when the last attempt fails with a transient error; any other error at once
 */
export async function retry<T>(policy: RetryPolicy, attempt: (number: number) => Promise<T>): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (error) {
      if (!policy.isTransient(error)) throw error;
      if (number === policy.maximumAttempts) throw new StorageUnavailableError(error);
      const pause = Math.min(policy.firstPauseMilliseconds * 2 ** (number - 1), longestPauseMilliseconds);
      await delay(pause * (0.5 + Math.random()));
    }
  }
}
