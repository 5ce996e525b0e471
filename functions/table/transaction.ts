import { setTimeout as delay } from "node:timers/promises";
import { type CancellationReason, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { ServiceError } from "../../contract/errors.ts";
import { environment } from "../environment.ts";
import { send } from "./client.ts";

type SdkWrite = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];
type WithoutTable<T> = Omit<NonNullable<T>, "TableName" | "ReturnValuesOnConditionCheckFailure">;

/** One write of a transaction; the table and what a failed condition returns are filled in. */
export type Write =
  | { Put: WithoutTable<SdkWrite["Put"]> }
  | { Update: WithoutTable<SdkWrite["Update"]> }
  | { Delete: WithoutTable<SdkWrite["Delete"]> }
  | { ConditionCheck: WithoutTable<SdkWrite["ConditionCheck"]> };

/** The first write whose condition did not hold, and the item that stood in its way. */
export interface FailedCondition {
  readonly index: number;
  readonly item: Record<string, unknown> | undefined;
}

const maximumAttempts = 12;

/**
 * Writes all or nothing. Returns undefined when it was written, or the first failed condition. Conflicts with other
 * transactions are tried again with growing, random pauses; the SDK's own idempotency token makes its retries safe.
 *
 * @throws ServiceError `temporarily_unavailable` where conflicts or throttling do not end; nothing is written then
 */
export async function transact(writes: readonly Write[]): Promise<FailedCondition | undefined> {
  const items = writes.map((write) => complete(write));
  for (let attempt = 1; ; attempt += 1) {
    try {
      await send(new TransactWriteCommand({ TransactItems: items }));
      return undefined;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      const index = reasons.findIndex(({ Code }) => Code === "ConditionalCheckFailed");
      if (index !== -1) return { index, item: itemOf(reasons[index]) };
      if (!reasons.some(({ Code }) => isWorthAnotherTry(Code))) throw error;
      if (attempt === maximumAttempts) throw new ServiceError("temporarily_unavailable", { cause: error });
      await delay(Math.min(2 ** attempt * 5, 400) * (0.5 + Math.random()));
    }
  }
}

/** The document client translates answers, but not the items in an exception. */
function itemOf(reason: CancellationReason | undefined): Record<string, unknown> | undefined {
  return reason?.Item && Object.keys(reason.Item).length > 0 ? unmarshall(reason.Item) : undefined;
}

function complete(write: Write): SdkWrite {
  const [[action, input] = []] = Object.entries(write);
  return {
    [action as string]: {
      ...input,
      TableName: environment.tableName,
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    },
  };
}

function isWorthAnotherTry(code: string | undefined): boolean {
  return code === "TransactionConflict" || code === "ThrottlingError" || code === "ProvisionedThroughputExceeded";
}
