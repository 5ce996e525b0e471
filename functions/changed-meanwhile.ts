import { retry } from "./retry.ts";

/** What a request or job has read is not true any more, so its write was refused and nothing was written. */
export class ChangedMeanwhile extends Error {
  override readonly name = "ChangedMeanwhile";
}

/**
 * Reads, decides and writes, and begins again where something changed between the read and the write, at most ten times. What
 * nobody may repeat, such as reading a grant, is read before.
 *
 * @throws StorageUnavailableError where something changed each time; nothing is written then
 */
export async function whileUnchanged<T>(attempt: () => Promise<T>): Promise<T> {
  const isTransient = (error: unknown) => error instanceof ChangedMeanwhile;
  return await retry({ maximumAttempts: 10, firstPauseMilliseconds: 5, isTransient }, attempt);
}
