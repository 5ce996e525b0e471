import { type CancellationReason, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { environment } from "../environment.ts";
import { send } from "./client.ts";
import { outlastConflicts } from "./conflicts.ts";

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

/**
 * Writes all or nothing. Returns undefined when it was written, or the first failed condition. The SDK's own idempotency
 * token makes its retries safe.
 *
 * @throws ServiceError `temporarily_unavailable` where conflicts or throttling do not end; nothing is written then
 */
export async function transact(writes: readonly Write[]): Promise<FailedCondition | undefined> {
  const items = writes.map((write) => complete(write));
  try {
    await outlastConflicts(() => send(new TransactWriteCommand({ TransactItems: items })));
    return undefined;
  } catch (error) {
    const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
    const index = reasons.findIndex(({ Code }) => Code === "ConditionalCheckFailed");
    if (index === -1) throw error;
    return { index, item: itemOf(reasons[index]) };
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
