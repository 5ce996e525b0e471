import { NetworkError } from "../../../contract/api-error.ts";
import { type Patience, wait } from "../../../contract/retries.ts";

/** Callbacks and signal of a publication that waits. */
export interface Waiting {
  readonly signal: AbortSignal;
  /** Called with true when the network is lost, and with false when it is back. @param host that does not respond, unless it is the API's */
  onOffline(isOffline: boolean, host?: string): void;
}

/** A lost connection is waited for as long as it takes, because the person can cancel. */
export function patienceOf({ signal, onOffline }: Waiting): Patience {
  return {
    longestMilliseconds: Number.POSITIVE_INFINITY,
    signal,
    tries: 6,
    onLost: (_, failure) => onOffline(true, failure instanceof NetworkError ? failure.host : undefined),
    onResponse: () => onOffline(false),
    sleep: untilOnline,
  };
}

/** Waits for so long, or until the network is back: nobody waits for the rest then. @throws the signal's reason */
async function untilOnline(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const back = new AbortController();
  const end = () => back.abort();
  addEventListener("online", end);
  try {
    await wait(milliseconds, AbortSignal.any([back.signal, ...(signal ? [signal] : [])])).catch(() =>
      signal?.throwIfAborted(),
    );
  } finally {
    removeEventListener("online", end);
  }
}
