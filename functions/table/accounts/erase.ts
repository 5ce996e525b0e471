import { BatchWriteCommand, type BatchWriteCommandInput, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { batchesOf } from "../../batches-of.ts";
import type { Token } from "../../entities/token.ts";
import * as environment from "../../environment.ts";
import { retry } from "../../retry.ts";
import { send } from "../client.ts";
import type { Key, KeyRange } from "../keys.ts";

/** DynamoDB takes as many in one BatchWriteItem. */
const itemsPerBatch = 25;
const batchesAtOnce = 8;
const keysPerRead = 1_000;

/** DynamoDB has deleted only some of the items. */
class UnprocessedItemsError extends Error {
  override readonly name = "UnprocessedItemsError";
}

/** The key of an item, and of a token what its notice's key follows from. No other item of an account has an expiry. */
export type ErasableItem = Key &
  (Pick<Token, "id" | "accountKey" | "expiresAt" | "originalExpiresAt"> | { readonly expiresAt?: undefined });

/** Data needed to erase the first 1,000 items of a partition, strongly consistent. */
export async function readErasable({ PK }: Pick<KeyRange<unknown>, "PK">): Promise<ErasableItem[]> {
  const response = await send(
    new QueryCommand({
      TableName: environment.tableName(),
      KeyConditionExpression: "PK = :partition",
      ExpressionAttributeValues: { ":partition": PK },
      ProjectionExpression: "PK, SK, id, accountKey, expiresAt, originalExpiresAt",
      ConsistentRead: true,
      Limit: keysPerRead,
    }),
  );
  return (response.Items ?? []) as ErasableItem[];
}

/**
 * Deletes items whatever they contain, each on its own and not all or nothing.
 *
 * @throws StorageUnavailableError if some stay
 */
export async function deleteItems(all: readonly Key[]): Promise<void> {
  for (const some of batchesOf(all, batchesAtOnce * itemsPerBatch))
    await Promise.all(batchesOf(some, itemsPerBatch).map(deleteBatch));
}

type Requests = NonNullable<BatchWriteCommandInput["RequestItems"]>[string];

async function deleteBatch(items: readonly Key[]): Promise<void> {
  const table = environment.tableName();
  let rest: Requests = items.map(({ PK, SK }) => ({ DeleteRequest: { Key: { PK, SK } } }));
  const isTransient = (error: unknown) => error instanceof UnprocessedItemsError;
  await retry({ maximumAttempts: 5, firstPauseMilliseconds: 30, isTransient }, async () => {
    const response = await send(new BatchWriteCommand({ RequestItems: { [table]: rest } }));
    rest = response.UnprocessedItems?.[table] ?? [];
    if (rest.length > 0) throw new UnprocessedItemsError();
  });
}
