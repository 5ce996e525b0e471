import { ConditionalCheckFailedException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../environment.ts";
import { send } from "./client.ts";
import { outlastConflicts } from "./conflicts.ts";
import type { Key } from "./keys.ts";

/** A change of one item, to be made under a condition. */
interface Update {
  readonly key: Key;
  /** What the attributes shall be; undefined leaves one as it is. */
  readonly set: object;
  readonly condition: string;
  /** The values that the condition names. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/**
 * Sets attributes of one item.
 *
 * @returns the item as it then is; undefined where the condition did not hold, and nothing was written
 * @throws ServiceError `temporarily_unavailable` where conflicts with transactions do not end
 */
export async function update({ key, set, condition, values }: Update): Promise<Record<string, unknown> | undefined> {
  const changes = Object.entries(set).filter(([, value]) => value !== undefined);
  const input = {
    TableName: environment.tableName,
    Key: key,
    UpdateExpression: `SET ${changes.map(([name]) => `#${name} = :${name}`).join(", ")}`,
    ConditionExpression: condition,
    ExpressionAttributeNames: Object.fromEntries(changes.map(([name]) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(changes.map(([name, value]) => [`:${name}`, value])),
      ...values,
    },
    ReturnValues: "ALL_NEW",
  } as const;
  try {
    return (await outlastConflicts(() => send(new UpdateCommand(input)))).Attributes;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return undefined;
    throw error;
  }
}
