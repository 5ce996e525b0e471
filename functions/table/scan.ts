import { ScanCommand } from "@aws-sdk/lib-dynamodb";
import * as environment from "../environment.ts";
import { send } from "./client.ts";
import type { Key, KeyRange } from "./keys.ts";

interface ScanOptions<Item> {
  /** Another table than the stage's. */
  readonly table?: string;
  /** Goes on after this item. */
  readonly after?: Key<Item> | undefined;
  /** The only attribute to read; all when left out. */
  readonly attribute?: keyof Item & string;
  /** Only items that have this attribute. */
  readonly having?: keyof Item & string;
  /** Whether what was written just before must be seen, at twice the price. */
  readonly isConsistent?: boolean;
}

/** All items with the sort key of this key, or with its prefix, such as every account, in the table's own order, which stays the same. */
export async function* itemsLike<Item>(
  like: Key<Item> | KeyRange<Item>,
  { table = environment.tableName(), after, attribute, having, isConsistent = false }: ScanOptions<Item> = {},
): AsyncGenerator<Item & Pick<Key, "PK">> {
  const [condition, sort] = "prefix" in like ? ["begins_with(SK, :sort)", like.prefix] : ["SK = :sort", like.SK];
  let start = after && { ...after };
  do {
    const page = await send(
      new ScanCommand({
        TableName: table,
        ConsistentRead: isConsistent,
        FilterExpression: having ? `${condition} AND attribute_exists(${having})` : condition,
        ExpressionAttributeValues: { ":sort": sort },
        ...(attribute && { ProjectionExpression: attribute }),
        ...(start && { ExclusiveStartKey: start }),
      }),
    );
    // Only this folder writes items under these keys, so their types are not checked again.
    yield* (page.Items ?? []) as (Item & Pick<Key, "PK">)[];
    start = page.LastEvaluatedKey as typeof start;
  } while (start !== undefined);
}
