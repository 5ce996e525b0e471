import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import * as environment from "../environment.ts";
import { send } from "./client.ts";
import type { Key } from "./keys.ts";

interface ScanOptions<Item> {
  /** Another table than the stage's. */
  readonly table?: string;
  /** Goes on after this item. */
  readonly after?: Key<Item> | undefined;
  /** The only attribute to read; all when left out. */
  readonly attribute?: keyof Item & string;
  /** Whether what was written just before must be seen, at twice the price. */
  readonly isConsistent?: boolean;
}

/** All items with the sort key of this key, such as every account, in the table's own order, which stays the same. */
export async function* itemsLike<Item>(
  { SK }: Key<Item>,
  { table = environment.tableName(), after, attribute, isConsistent = false }: ScanOptions<Item> = {},
): AsyncGenerator<Item> {
  let start = after && { ...after };
  do {
    const page = await send(
      new ScanCommand({
        TableName: table,
        ConsistentRead: isConsistent,
        FilterExpression: "SK = :sort",
        ExpressionAttributeValues: { ":sort": SK },
        ...(attribute && { ProjectionExpression: attribute }),
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    // Only this folder writes items under these keys, so their types are not checked again.
    yield* (page.Items ?? []) as Item[];
    start = page.LastEvaluatedKey as typeof start;
  } while (start !== undefined);
}
