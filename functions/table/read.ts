import { BatchGetCommand, type BatchGetCommandInput, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { batchesOf } from "../batches-of.ts";
import * as environment from "../environment.ts";
import { retry } from "../retry.ts";
import { send } from "./client.ts";
import type { Condition } from "./expressions.ts";
import type { ItemOf, Key, KeyRange } from "./keys.ts";

type ItemsOf<Keys extends readonly (Key | undefined)[]> = {
  -readonly [Index in keyof Keys]: ItemOf<Keys[Index]> | undefined;
};
type SdkKeys = NonNullable<BatchGetCommandInput["RequestItems"]>[string]["Keys"] & object;

/** DynamoDB has read only some of the keys. */
class UnprocessedKeysError extends Error {
  override readonly name = "UnprocessedKeysError";
}

/** DynamoDB reads as many in one BatchGetItem. */
const keysPerRead = 100;

/** Reads any number of items as {@link readItems} does, all batches at once. */
export async function readManyItems<Item>(wanted: readonly Key<Item>[]): Promise<(Item | undefined)[]> {
  return (await Promise.all(batchesOf(wanted, keysPerRead).map((batch) => readItems(batch)))).flat();
}

/**
 * Reads up to 100 items in one strongly consistent BatchGetItem and returns them in the order of their keys, undefined
 * if there is none, or no key. Keys that DynamoDB leaves unprocessed are read again.
 *
 * @param attributes the only attributes to read, the keys' among them; all when left out
 * @throws StorageUnavailableError if keys stay unprocessed
 */
export async function readItems<const Keys extends readonly (Key | undefined)[]>(
  wanted: Keys,
  attributes?: readonly string[],
): Promise<ItemsOf<Keys>> {
  const itemsByKey = new Map<string, unknown>();
  let rest: SdkKeys = wanted.filter((key) => key !== undefined);
  const isTransient = (error: unknown) => error instanceof UnprocessedKeysError;
  await retry({ maximumAttempts: 5, firstPauseMilliseconds: 30, isTransient }, async () => {
    if (rest.length > 0) rest = await readInto(itemsByKey, rest, attributes);
    if (rest.length > 0) throw new UnprocessedKeysError();
  });
  // Only this folder writes items under these keys, so their types are not checked again.
  return wanted.map((key) => key && itemsByKey.get(`${key.PK} ${key.SK}`)) as unknown as ItemsOf<Keys>;
}

/** Adds what is there to `itemsByKey` and returns the keys that were not processed. */
async function readInto(
  itemsByKey: Map<string, unknown>,
  wanted: SdkKeys,
  attributes: readonly string[] | undefined,
): Promise<SdkKeys> {
  const table = environment.tableName();
  const request = { Keys: wanted, ConsistentRead: true, ...(attributes && projectionOf(attributes)) };
  const response = await send(new BatchGetCommand({ RequestItems: { [table]: request } }));
  for (const item of response.Responses?.[table] ?? []) itemsByKey.set(`${item["PK"]} ${item["SK"]}`, item);
  return response.UnprocessedKeys?.[table]?.Keys ?? [];
}

function projectionOf(attributes: readonly string[]) {
  return {
    ProjectionExpression: attributes.map((name) => `#${name}`).join(", "),
    ExpressionAttributeNames: Object.fromEntries(attributes.map((name) => [`#${name}`, name])),
  };
}

/** A part of a list: at most `limit` items, from the first one after `after`. */
export interface Slice {
  readonly limit: number;
  /** The end of a sort key, after the range's prefix. */
  readonly after?: string | undefined;
}

/** Options for the items of a slice. */
interface QueryOptions<Attribute> {
  /** Whether the last one comes first; by default they are in the order of their sort keys. */
  readonly isDescending?: boolean;
  /** Filter that the returned items must meet. */
  readonly filter?: Pick<Condition, "condition" | "values">;
  /** The only attributes to read; all when left out. */
  readonly attributes?: readonly Attribute[];
}

/**
 * Reads a slice of a key range, strongly consistent.
 *
 * @returns the items, and the end of the last one's sort key if more may follow
 */
export async function readRange<Item, Attribute extends keyof Item & string = keyof Item & string>(
  { PK, prefix }: KeyRange<Item>,
  { limit, after }: Slice,
  { isDescending, filter, attributes }: QueryOptions<Attribute> = {},
): Promise<{ items: Pick<Item, Attribute>[]; last: string | undefined }> {
  const response = await send(
    new QueryCommand({
      TableName: environment.tableName(),
      KeyConditionExpression: "PK = :partition AND begins_with(SK, :prefix)",
      ExpressionAttributeValues: { ":partition": PK, ":prefix": prefix, ...filter?.values },
      ...(filter && { FilterExpression: filter.condition }),
      ...(attributes && projectionOf(attributes)),
      ConsistentRead: true,
      ScanIndexForward: isDescending !== true,
      Limit: limit,
      ...(after !== undefined && { ExclusiveStartKey: { PK, SK: prefix + after } }),
    }),
  );
  const last: string | undefined = response.LastEvaluatedKey?.["SK"];
  return { items: (response.Items ?? []) as Pick<Item, Attribute>[], last: last?.slice(prefix.length) };
}

/**
 * The items of a partition that are due at a time, the earliest first, strongly consistent. Their sort keys begin with their times, and
 * go on with `#`.
 *
 * @param after the sort key of the last one of the page before
 * @returns the items, and the sort key after which more may follow
 */
export async function readDue<Item>(
  PK: string,
  now: Date,
  { limit, after }: Slice,
): Promise<{ items: Item[]; last: string | undefined }> {
  const response = await send(
    new QueryCommand({
      TableName: environment.tableName(),
      // "$" follows "#".
      KeyConditionExpression: "PK = :partition AND SK < :end",
      ExpressionAttributeValues: { ":partition": PK, ":end": `${now.toISOString()}$` },
      ConsistentRead: true,
      Limit: limit,
      ...(after !== undefined && { ExclusiveStartKey: { PK, SK: after } }),
    }),
  );
  return { items: (response.Items ?? []) as Item[], last: response.LastEvaluatedKey?.["SK"] };
}

const itemsPerRead = 1_000;

/** Reads a key range whole, in as many slices as it takes. */
export async function readWhole<Item, Attribute extends keyof Item & string = keyof Item & string>(
  range: KeyRange<Item>,
  options?: QueryOptions<Attribute>,
): Promise<Pick<Item, Attribute>[]> {
  const rows: Pick<Item, Attribute>[] = [];
  let after: string | undefined;
  do {
    const { items, last } = await readRange(range, { limit: itemsPerRead, after }, options);
    rows.push(...items);
    after = last;
  } while (after !== undefined);
  return rows;
}
