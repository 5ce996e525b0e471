import { TransactionCanceledException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { retry } from "../retry.ts";

/**
 * Writes, and retries while another transaction holds one of the items. DynamoDB refuses a transaction and a single
 * write then, and the SDK retries neither.
 *
 * @throws StorageUnavailableError if the conflict persists; nothing is written then
 */
export async function retryTransactionConflict<T>(write: () => Promise<T>): Promise<T> {
  return await retry({ maximumAttempts: 12, firstPauseMilliseconds: 10, isTransient: isConflict }, write);
}

const transientCodes = new Set<string | undefined>([
  "TransactionConflict",
  "ThrottlingError",
  "ProvisionedThroughputExceeded",
]);

/** A failed condition is final, also if a conflict is reported beside it. */
function isConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code);
  return !codes.includes("ConditionalCheckFailed") && codes.some((code) => transientCodes.has(code));
}
