import { setTimeout as delay } from "node:timers/promises";
import { BatchGetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { ServiceError } from "../../contract/errors.ts";
import { environment } from "../environment.ts";
import { send } from "./client.ts";
import type { Key } from "./keys.ts";

type Item = Key & Record<string, unknown>;

const maximumRounds = 5;

/**
 * Reads up to 100 items in one strongly consistent BatchGetItem and returns them in the order of their keys, undefined
 * where there is none. Asks again for what DynamoDB left unprocessed.
 *
 * @throws ServiceError `temporarily_unavailable` where keys stay unprocessed
 */
export async function readItems(wanted: readonly Key[]): Promise<(Item | undefined)[]> {
  const table = environment.tableName;
  const found = new Map<string, Item>();
  let rest: Record<string, unknown>[] = [...wanted] as unknown as Record<string, unknown>[];
  for (let round = 0; rest.length > 0; round += 1) {
    if (round === maximumRounds) throw new ServiceError("temporarily_unavailable");
    if (round > 0) await delay(2 ** round * 10 * (1 + Math.random()));
    const response = await send(
      new BatchGetCommand({ RequestItems: { [table]: { Keys: rest, ConsistentRead: true } } }),
    );
    for (const item of (response.Responses?.[table] ?? []) as Item[]) found.set(`${item.PK} ${item.SK}`, item);
    rest = response.UnprocessedKeys?.[table]?.Keys ?? [];
  }
  return wanted.map(({ PK, SK }) => found.get(`${PK} ${SK}`));
}

/** What a page of a list starts from and how long it is. */
export interface Page {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/**
 * Reads one page of the items of a partition whose sort key begins with `prefix`, strongly consistent. The cursor is
 * opaque to callers and holds the last sort key, so it stays good however the list changes.
 *
 * @throws ServiceError `invalid_cursor` for a cursor that this list did not give out
 */
export async function readPage(list: {
  partition: string;
  prefix: string;
  newestFirst: boolean;
  page: Page;
}): Promise<{ items: Item[]; nextCursor: string | null }> {
  const { partition, prefix, newestFirst, page } = list;
  const start = page.cursor === undefined ? undefined : { PK: partition, SK: prefix + decodeCursor(page.cursor) };
  const response = await send(
    new QueryCommand({
      TableName: environment.tableName,
      KeyConditionExpression: "PK = :partition AND begins_with(SK, :prefix)",
      ExpressionAttributeValues: { ":partition": partition, ":prefix": prefix },
      ConsistentRead: true,
      ScanIndexForward: !newestFirst,
      Limit: page.limit,
      ...(start && { ExclusiveStartKey: start }),
    }),
  );
  const last = response.LastEvaluatedKey?.["SK"] as string | undefined;
  return {
    items: (response.Items ?? []) as Item[],
    nextCursor: last === undefined ? null : encodeCursor(last.slice(prefix.length)),
  };
}

/** The opaque form of the last sort key of a page, without its prefix. */
export function encodeCursor(id: string): string {
  return Buffer.from(id).toString("base64url");
}

/** @throws ServiceError `invalid_cursor` for what {@link encodeCursor} did not make */
export function decodeCursor(cursor: string): string {
  const id = Buffer.from(cursor, "base64url").toString();
  if (!/^[\w-]{1,64}$/.test(id) || encodeCursor(id) !== cursor) throw new ServiceError("invalid_cursor");
  return id;
}
