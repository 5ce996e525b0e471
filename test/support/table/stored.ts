import { setTimeout as delay } from "node:timers/promises";
import {
  BatchWriteCommand,
  DeleteCommand,
  GetCommand,
  paginateQuery,
  paginateScan,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { type Key, keys, pointerPartition } from "../../../functions/table/keys.ts";
import type { TestService } from "../service/service.ts";

/** An item as it is stored. */
export type StoredItem = Record<string, unknown>;

type Store = Pick<TestService, "table" | "tableName">;

/** Every item of the service's table in the order of their keys, so that two looks at it can be compared. */
export async function everyItem({ table, tableName }: Store): Promise<StoredItem[]> {
  const items: StoredItem[] = [];
  for await (const page of paginateScan({ client: table }, { TableName: tableName, ConsistentRead: true }))
    items.push(...(page.Items ?? []));
  return items.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

/** Deletes every item of the service's table. */
export async function emptyTable({ table, tableName }: Store): Promise<void> {
  const deletions = (await everyItem({ table, tableName })).map(({ PK, SK }) => ({
    DeleteRequest: { Key: { PK, SK } },
  }));
  for (let start = 0; start < deletions.length; start += 25)
    await table.send(new BatchWriteCommand({ RequestItems: { [tableName]: deletions.slice(start, start + 25) } }));
}

/** Every item of one partition in the order of their sort keys; if an account is named, its own alone. */
export async function itemsOf(
  { table, tableName }: Store,
  partition: string,
  { accountKey }: { readonly accountKey?: string } = {},
): Promise<StoredItem[]> {
  const query = {
    TableName: tableName,
    KeyConditionExpression: "PK = :partition",
    ConsistentRead: true,
    ...(accountKey !== undefined && { FilterExpression: "accountKey = :account" }),
    ExpressionAttributeValues: {
      ":partition": partition,
      ...(accountKey !== undefined && { ":account": accountKey }),
    },
  };
  const items: StoredItem[] = [];
  for await (const page of paginateQuery({ client: table }, query)) items.push(...(page.Items ?? []));
  return items;
}

/** Waits until all pointers are at the games' edges; false: some still wait after these seconds. */
export async function arePointersWritten(store: Store, seconds: number): Promise<boolean> {
  const until = performance.now() + seconds * 1_000;
  while ((await itemsOf(store, pointerPartition)).length > 0) {
    if (performance.now() > until) return false;
    await delay(100);
  }
  return true;
}

/** 2100-01-01, in epoch seconds. */
const latestLife = 4_102_444_800;

/**
 * Items with a time to live that is none: not a number, or above the year 2100, as milliseconds are. DynamoDB deletes such an item never,
 * and nobody notices.
 */
export async function lastingItems({ table, tableName }: Store): Promise<string[]> {
  const pages = paginateScan(
    { client: table },
    {
      TableName: tableName,
      FilterExpression: "attribute_exists(#ttl) AND (#ttl >= :latest OR NOT attribute_type(#ttl, :number))",
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ExpressionAttributeValues: { ":latest": latestLife, ":number": "N" },
    },
  );
  const found: string[] = [];
  for await (const { Items = [] } of pages) found.push(...Items.map(({ PK, SK, ttl }) => `${PK} ${SK}: ttl ${ttl}`));
  return found;
}

/** One item, as it is stored. */
export async function storedItem({ table, tableName }: Store, key: Key): Promise<StoredItem | undefined> {
  const { Item } = await table.send(new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true }));
  return Item;
}

/** Stores items without the API, many at once. */
export async function storeItems({ table, tableName }: Store, items: readonly StoredItem[]): Promise<void> {
  for (let start = 0; start < items.length; start += 25) {
    const requests = items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
    await table.send(new BatchWriteCommand({ RequestItems: { [tableName]: requests } }));
  }
}

/** Changes an attribute of an item without the API, to what no route can make of it. */
export async function setAttribute(
  { table, tableName }: Store,
  key: Key,
  attribute: string,
  value: unknown,
): Promise<void> {
  await table.send(
    new UpdateCommand({
      TableName: tableName,
      Key: key,
      UpdateExpression: "SET #attribute = :value",
      ExpressionAttributeNames: { "#attribute": attribute },
      ExpressionAttributeValues: { ":value": value },
    }),
  );
}

/** Removes attributes of an item without the API. */
export async function removeAttributes({ table, tableName }: Store, key: Key, ...attributes: string[]): Promise<void> {
  const UpdateExpression = `REMOVE ${attributes.join(", ")}`;
  await table.send(new UpdateCommand({ TableName: tableName, Key: key, UpdateExpression }));
}

/** Removes an item without the API. */
export async function removeItem({ table, tableName }: Store, { PK, SK }: Key): Promise<void> {
  await table.send(new DeleteCommand({ TableName: tableName, Key: { PK, SK } }));
}

/** Sets the expiry of an item to this many seconds from now. */
export async function endLife(service: Store, key: Key, secondsFromNow: number): Promise<void> {
  await setAttribute(service, key, "ttl", Math.floor(Date.now() / 1_000) + secondsFromNow);
}

function keyOf({ PK, SK }: StoredItem): string {
  return `${PK} ${SK}`;
}

/** Stores copies of a token until its account has this many, in place of a request for each. @returns the ids of all */
export async function copyToken(store: Store, accountKey: string, id: string, count: number): Promise<string[]> {
  const items = await itemsOf(store, keys.account(accountKey).PK);
  const token = items.find(({ SK }) => SK === keys.token(accountKey, id).SK);
  const creation = items.find(({ type, tokenId }) => type === "token_created" && tokenId === id);
  const copies = Array.from({ length: count - 1 }, (_, index) => String(index).padStart(22, "0"));
  await storeItems(
    store,
    copies.flatMap((copy) => [
      { ...token, ...keys.token(accountKey, copy), id: copy },
      { ...creation, SK: `EVENT#${copy}`, id: copy, tokenId: copy },
    ]),
  );
  const ids = [id, ...copies];
  const activeTokens = Object.fromEntries(ids.map((each) => [each, token?.["expiresAt"]]));
  await setAttribute(store, keys.account(accountKey), "activeTokens", activeTokens);
  return ids;
}
