import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as environment from "../environment.ts";
import { send } from "./client.ts";
import { type Attributes, type Condition, parametersOf, setAttributes } from "./expressions.ts";
import type { Key } from "./keys.ts";
import { retryTransactionConflict } from "./retry-transaction-conflict.ts";

/**
 * Sets attributes of one item; undefined leaves an attribute as it is.
 *
 * @returns the item after the change; undefined if a condition did not hold and nothing was written
 * @throws StorageUnavailableError if conflicts with transactions persist
 */
export async function updateItem<Item>(
  key: Key<Item>,
  attributes: Attributes<Item>,
  ...conditions: readonly Condition[]
): Promise<Item | undefined> {
  const set = setAttributes(attributes);
  const input = {
    TableName: environment.tableName(),
    Key: key,
    UpdateExpression: set.expression,
    ...parametersOf([...conditions, set], set.expression),
    ReturnValues: "ALL_NEW",
  } as const;
  try {
    return (await retryTransactionConflict(() => send(new UpdateCommand(input)))).Attributes as Item;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}
