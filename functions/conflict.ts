import { retry } from "./retry.ts";

/** Optimistic locking: what a request or job has read was changed by another one, so its write was refused. Nothing was written. */
export class ConflictError extends Error {
  override readonly name = "ConflictError";
}

/**
 * Optimistic locking: reads, decides and writes, and retries all of it after a conflict, with ten attempts at most. What must not be
 * repeated, such as reading a grant, is done before.
 *
 * @throws StorageUnavailableError if each attempt met a conflict; nothing is written then
 */
export async function retryOnConflict<T>(attempt: () => Promise<T>): Promise<T> {
  const isTransient = (error: unknown) => error instanceof ConflictError;
  return await retry({ maximumAttempts: 10, firstPauseMilliseconds: 5, isTransient }, attempt);
}
