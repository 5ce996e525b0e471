import { NetworkError } from "../../../contract/api-error.ts";
import type { Patience, Retry } from "../../../contract/retries.ts";

const longestInCiMilliseconds = 10 * 60_000;

interface PatienceOptions {
  readonly signal: AbortSignal;
  /** Whether a person is there, who ends the waiting when they want. */
  readonly isWatched: boolean;
  note(text: string): void;
}

/** Waits for a network that is away: as long as a person watches, else for ten minutes. Says so once for each time that it is lost. */
export function patienceWith({ signal, isWatched, note }: PatienceOptions): Patience {
  let isSaid = false;
  return {
    longestMilliseconds: isWatched ? Number.POSITIVE_INFINITY : longestInCiMilliseconds,
    signal,
    tries: 5,
    onLost: ({ why }: Retry) => {
      if (isSaid) return;
      isSaid = true;
      const howLong = isWatched ? "Ctrl-C stops" : "for ten minutes at most";
      note(`${why} Waiting for the network (${howLong}); what is uploaded stays, and the same command continues.`);
    },
    onResponse: () => {
      isSaid = false;
    },
  };
}

/** Says how publishing goes on if the network stayed away for too long. @throws the failure */
export function explainLoss(failure: unknown): never {
  if (!(failure instanceof NetworkError && failure.isLost)) throw failure;
  const { message, isTransient, isUnsent, isLost } = failure;
  throw new NetworkError(message, {
    next: "When the network is there again, the same command continues: what is uploaded is not sent again.",
    isTransient,
    isUnsent,
    isLost,
    cause: failure,
  });
}
