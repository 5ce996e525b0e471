import { setTimeout as delay } from "node:timers/promises";
import { TransactionCanceledException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { ServiceError } from "../../contract/errors.ts";

const maximumAttempts = 12;

/**
 * Writes, and tries again with growing, random pauses while another write of the same items is in the way: DynamoDB
 * refuses both a transaction and a single write then, and the SDK takes neither refusal for one that passes.
 *
 * @throws ServiceError `temporarily_unavailable` where that does not end; nothing is written then
 */
export async function outlastConflicts<T>(write: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      if (!isConflict(error)) throw error;
      if (attempt === maximumAttempts) throw new ServiceError("temporarily_unavailable", { cause: error });
      await delay(Math.min(2 ** attempt * 5, 400) * (0.5 + Math.random()));
    }
  }
}

const passing = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);

/** A condition that does not hold decides, whatever else was in the way. */
function isConflict(error: unknown): boolean {
  if (error instanceof TransactionConflictException) return true;
  if (!(error instanceof TransactionCanceledException)) return false;
  const codes = (error.CancellationReasons ?? []).map(({ Code = "" }) => Code);
  return !codes.includes("ConditionalCheckFailed") && codes.some((code) => passing.has(code));
}
