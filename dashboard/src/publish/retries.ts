import { ApiError } from "../api-error.ts";

/** Attempts if a server refuses for a moment, the same number as `svc publish`. */
export const tries = 6;
const firstPauseMilliseconds = 500;
const longestPauseMilliseconds = 8_000;

/** Callbacks and signal of an upload that waits. */
export interface Waiting {
  readonly signal: AbortSignal;
  /** Called with true when the network is lost, and with false when it is back. @param host that does not respond, unless it is the API's */
  onOffline(isOffline: boolean, host?: string): void;
}

/** Pause after the n-th failure, partly random so that parallel uploads do not retry together. @throws the signal's reason */
export async function pauseAfter(failures: number, { signal }: Pick<Waiting, "signal">): Promise<void> {
  const milliseconds = Math.min(firstPauseMilliseconds * 2 ** (failures - 1), longestPauseMilliseconds);
  await new Promise<void>((resolve, reject) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      signal.removeEventListener("abort", stop);
      resolve();
    };
    const stop = () => reject(signal.reason);
    const timer = setTimeout(done, milliseconds * (0.5 + Math.random()));
    // The network is back: nobody waits for the rest of the pause.
    addEventListener("online", done);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/**
 * Calls the API until it responds. A lost connection is waited for as long as it takes, because the person can cancel; a service
 * that has trouble is tried six times.
 *
 * @throws ApiError, or the signal's reason
 */
export async function retried<T>(call: () => Promise<T>, waiting: Waiting): Promise<T> {
  let refusals = 0;
  for (let failures = 1; ; failures += 1) {
    waiting.signal.throwIfAborted();
    try {
      const result = await call();
      if (failures > 1) waiting.onOffline(false);
      return result;
    } catch (error) {
      waiting.signal.throwIfAborted();
      if (!(error instanceof ApiError) || !transient.has(error.code)) throw error;
      if (error.code === "unreachable") waiting.onOffline(true);
      else if (++refusals === tries) throw error;
      await pauseAfter(failures, waiting);
    }
  }
}

const transient = new Set<ApiError["code"]>([
  "unreachable",
  "temporarily_unavailable",
  "too_many_requests",
  "idempotency_key_in_use",
  "internal_error",
]);
