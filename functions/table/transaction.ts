import { randomUUID } from "node:crypto";
import { type CancellationReason, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { ConflictError } from "../conflict.ts";
import * as environment from "../environment.ts";
import { send } from "./client.ts";
import type { ItemOf, Key } from "./keys.ts";
import { retryTransactionConflict } from "./retry-transaction-conflict.ts";

/** A condition on the item as it is before the write; the write happens only if it holds. */
export interface Condition {
  readonly condition: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
}

/**
 * The condition that attributes of an item are as they were read; one that was missing still is.
 *
 * @param attributes by their names, of which none may be one of DynamoDB's reserved words
 */
export function asRead(attributes: Readonly<Record<string, unknown>>): Required<Omit<Condition, "names">> {
  const all = Object.entries(attributes);
  const found = all.filter(([, value]) => value !== undefined);
  return {
    condition: all
      .map(([name, value]) => (value === undefined ? `attribute_not_exists(${name})` : `${name} = :seen_${name}`))
      .join(" AND "),
    values: Object.fromEntries(found.map(([name, value]) => [`:seen_${name}`, value])),
  };
}

/** One write of a transaction. */
export interface Write<Item = unknown> {
  readonly key: Key<Item>;
  readonly input: NonNullable<TransactWriteCommandInput["TransactItems"]>[number];
}

/** Writes a whole item. */
export function put<Item extends object>(key: Key<Item>, item: Item, condition?: Condition): Write<Item> {
  return { key, input: { Put: { ...base(condition), Item: { ...key, ...item } } } };
}

/** Writes an item that must not exist yet. */
export function putNew<Item extends object>(key: Key<Item>, item: Item): Write<Item> {
  return put(key, item, { condition: "attribute_not_exists(PK)" });
}

/**
 * Changes attributes of an item by an UpdateExpression. All conditions must hold; the names and values of the expression stand
 * beside those of one of them, or for themselves.
 */
export function change<Item>(key: Key<Item>, expression: string, ...conditions: Conditions): Write<Item> {
  return { key, input: { Update: { ...base(...conditions), Key: key, UpdateExpression: expression } } };
}

/** Deletes an item. */
export function remove<Item>(key: Key<Item>, condition?: Condition): Write<Item> {
  return { key, input: { Delete: { ...base(condition), Key: key } } };
}

/** Writes nothing; its conditions must hold for the other writes to happen. */
export function check<Item>(key: Key<Item>, ...conditions: readonly Condition[]): Write<Item> {
  return { key, input: { ConditionCheck: { ...base(...conditions), Key: key } } };
}

type Conditions = readonly (Partial<Condition> | false | undefined)[];

function base(...all: Conditions) {
  const conditions = all.filter((each) => each !== undefined && each !== false);
  const names = Object.assign({}, ...conditions.map((each) => each.names));
  const values = Object.assign({}, ...conditions.map((each) => each.values));
  return {
    TableName: environment.tableName(),
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    ConditionExpression: conditions.flatMap(({ condition }) => condition ?? []).join(" AND ") || undefined,
    // DynamoDB refuses an empty map.
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  } as const;
}

/** Writes, and undefined for each that is not to be made. */
export type Writes = readonly (Write | undefined)[];
type NamedWrites = Readonly<Record<string, Write | undefined | Writes>>;
type WrittenItem<W> = W extends readonly (infer Each)[]
  ? WrittenItem<Each>
  : W extends Write
    ? ItemOf<W["key"]>
    : never;

/** The first write whose condition did not hold, by its name; its index if the name has several; the item as it is. */
export type FailedWrite<W extends NamedWrites> = {
  [Name in keyof W]: { readonly name: Name; readonly index: number; readonly item: WrittenItem<W[Name]> | undefined };
}[keyof W];

/**
 * Makes all writes or none.
 *
 * @throws ConflictError if a condition did not hold; the errors of {@link tryTransact}
 */
export async function transact(writes: NamedWrites): Promise<void> {
  if (await tryTransact(writes)) throw new ConflictError();
}

/**
 * As {@link transact}, for a caller to whom it matters which condition did not hold. A request that is sent again, because its response was lost, has the same idempotency token.
 *
 * @returns undefined if all were made; otherwise the first write whose condition did not hold
 * @throws StorageUnavailableError if conflicts or throttling persist; nothing is written then
 */
export async function tryTransact<W extends NamedWrites>(writes: W): Promise<FailedWrite<W> | undefined> {
  const named = Object.entries(writes).flatMap(([name, each]) =>
    [each]
      .flat()
      .filter((write) => write !== undefined)
      .map(({ input }, index) => ({ name, index, input })),
  );
  try {
    await retryTransactionConflict(() => {
      const TransactItems = named.map(({ input }) => input);
      return send(new TransactWriteCommand({ TransactItems, ClientRequestToken: randomUUID() }));
    });
    return undefined;
  } catch (error) {
    const reasons = error instanceof TransactionCanceledException ? (error.CancellationReasons ?? []) : [];
    const position = reasons.findIndex(({ Code }) => Code === "ConditionalCheckFailed");
    const failed = named[position];
    if (failed === undefined) throw error;
    // DynamoDB reports positions; which name, and so which type of item, has this position is known here only.
    return { name: failed.name, index: failed.index, item: itemOf(reasons[position]) } as unknown as FailedWrite<W>;
  }
}

/** The document client converts responses, but not the items in an exception. */
function itemOf(reason: CancellationReason | undefined): Record<string, unknown> | undefined {
  return reason?.Item && Object.keys(reason.Item).length > 0 ? unmarshall(reason.Item) : undefined;
}
