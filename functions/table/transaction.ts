import { randomUUID } from "node:crypto";
import { type CancellationReason, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { ConflictError } from "../conflict.ts";
import * as environment from "../environment.ts";
import { send } from "./client.ts";
import { type Attributes, type Condition, type Conditions, parametersOf, setAttributes } from "./expressions.ts";
import type { ItemOf, Key } from "./keys.ts";
import { retryTransactionConflict } from "./retry-transaction-conflict.ts";

/** One write of a transaction. */
export interface Write<Item = unknown> {
  readonly key: Key<Item>;
  readonly input: NonNullable<TransactWriteCommandInput["TransactItems"]>[number];
}

/** Writes a whole item. */
export function put<Item extends object>(key: Key<Item>, item: Item, condition?: Condition): Write<Item> {
  return { key, input: { Put: { ...base([condition]), Item: { ...key, ...item } } } };
}

/** Writes an item that must not exist yet. */
export function putNew<Item extends object>(key: Key<Item>, item: Item): Write<Item> {
  return put(key, item, { condition: "attribute_not_exists(PK)" });
}

/**
 * Changes attributes of an item. All conditions must hold.
 *
 * @param changes attributes to be set, of which undefined leaves one as it is; or an UpdateExpression, whose names and values stand
 *   beside those of one of the conditions, or for themselves
 */
export function change<Item>(
  key: Key<Item>,
  changes: string | Attributes<Item>,
  ...conditions: Conditions
): Write<Item> {
  const set = typeof changes === "string" ? { expression: changes, values: {} } : setAttributes(changes);
  const parts = base([...conditions, set], set.expression);
  return { key, input: { Update: { ...parts, Key: key, UpdateExpression: set.expression } } };
}

/** Deletes an item. */
export function remove<Item>(key: Key<Item>, condition?: Condition): Write<Item> {
  return { key, input: { Delete: { ...base([condition]), Key: key } } };
}

/** Writes nothing; its conditions must hold for the other writes to happen. */
export function check<Item>(key: Key<Item>, ...conditions: readonly Condition[]): Write<Item> {
  return { key, input: { ConditionCheck: { ...base(conditions), Key: key } } };
}

function base(conditions: Conditions, expression?: string) {
  return {
    TableName: environment.tableName(),
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    ...parametersOf(conditions, expression),
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
