import { randomUUID } from "node:crypto";
import { BatchWriteCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { accountKey, keys } from "../../functions/table/keys.ts";
import type { BenchService } from "./service.ts";

const batchSize = 25;
const batchesAtOnce = 4;

/**
 * Fills a service's table with accounts: copies of the items of a real developer with one token, under other partition keys.
 */
export async function fillTable(service: BenchService, accounts: number): Promise<void> {
  const items = await itemsOfDeveloper(service);
  let left = accounts * items.length;
  const writeBatches = async () => {
    while (left > 0) {
      const size = Math.min(batchSize, left);
      left -= size;
      await writeBatch(
        service,
        Array.from({ length: size }, (_, index) => ({
          ...items[index % items.length],
          PK: keys.account(accountKey(service.issuer, randomUUID())).PK,
        })),
      );
    }
  };
  await Promise.all(Array.from({ length: batchesAtOnce }, writeBatches));
}

async function itemsOfDeveloper({ actors, issuer, table, tableName }: BenchService) {
  const developer = await actors.developer();
  await developer.token();
  const { Items = [] } = await table.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: "PK = :partition",
      ExpressionAttributeValues: { ":partition": keys.account(accountKey(issuer, developer.uid)).PK },
    }),
  );
  return Items;
}

async function writeBatch({ table, tableName }: BenchService, items: readonly Record<string, unknown>[]) {
  const { UnprocessedItems = {} } = await table.send(
    new BatchWriteCommand({ RequestItems: { [tableName]: items.map((Item) => ({ PutRequest: { Item } })) } }),
  );
  if (Object.keys(UnprocessedItems).length > 0) throw new Error("The engine did not write a whole batch");
}
