import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import * as environment from "../environment.ts";
import { send } from "./client.ts";
import type { Key } from "./keys.ts";
import { retryTransactionConflict } from "./retry-transaction-conflict.ts";
import type { Condition } from "./transaction.ts";

/** Attributes of an item to be set; undefined leaves one as it is. */
type Attributes<Item> = { readonly [Name in keyof Item]?: Item[Name] | undefined };

/**
 * Sets attributes of one item; undefined leaves an attribute as it is.
 *
 * @returns the item after the change; undefined if the condition did not hold and nothing was written
 * @throws StorageUnavailableError if conflicts with transactions persist
 */
export async function updateItem<Item>(
  key: Key<Item>,
  attributes: Attributes<Item>,
  { condition, values }: Omit<Condition, "names">,
): Promise<Item | undefined> {
  const set = setAttributes(attributes);
  const input = {
    TableName: environment.tableName(),
    Key: key,
    UpdateExpression: set.expression,
    ConditionExpression: condition,
    ExpressionAttributeNames: set.names,
    ExpressionAttributeValues: { ...set.values, ...values },
    ReturnValues: "ALL_NEW",
  } as const;
  try {
    return (await retryTransactionConflict(() => send(new UpdateCommand(input)))).Attributes as Item;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}

/** The condition that the attributes which an update sets are as they were read; their names are those of {@link setAttributes}. */
export function unchangedAttributes<Item extends object>(read: Item, changes: Attributes<Item>) {
  const names = Object.entries(changes).flatMap(([name, value]) =>
    value === undefined ? [] : [name as keyof Item & string],
  );
  const found = names.filter((name) => read[name] !== undefined);
  return {
    condition: names
      .map((name) => (read[name] === undefined ? `attribute_not_exists(#${name})` : `#${name} = :read_${name}`))
      .join(" AND "),
    values: Object.fromEntries(found.map((name) => [`:read_${name}`, read[name]])),
  };
}

/** The UpdateExpression that sets attributes, with its names and values. */
export function setAttributes(attributes: object) {
  const changes = Object.entries(attributes).filter(([, value]) => value !== undefined);
  return {
    expression: `SET ${changes.map(([name]) => `#${name} = :${name}`).join(", ")}`,
    names: Object.fromEntries(changes.map(([name]) => [`#${name}`, name])),
    values: Object.fromEntries(changes.map(([name, value]) => [`:${name}`, value])),
  };
}
