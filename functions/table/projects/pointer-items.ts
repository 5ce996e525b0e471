import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { batchesOf } from "../../batches-of.ts";
import type { WaitingPointers } from "../../entities/project.ts";
import * as environment from "../../environment.ts";
import { dayOf } from "../accounts/creation-counts.ts";
import { deleteItems } from "../accounts/erase.ts";
import { ttlAfter } from "../attributes.ts";
import { send } from "../client.ts";
import { newId } from "../ids.ts";
import { keys, pointerPartition } from "../keys.ts";
import { readDue } from "../read.ts";
import { put, type Write } from "../transaction.ts";

/*
 * The projects whose pointers at the games' edge are to be written (docs/decisions/0050-the-pointer.md). Each is written by the
 * transaction of the change that it is about, and deleted once the edge's store has what the project is by then.
 */

/** Projects in one item. With ten previews each they are 44 keys, and a write of the store takes 48. */
const slugsPerItem = 4;

/**
 * The writes that go into the transaction of a change of projects that players see; none if the stage has no games' edge.
 *
 * @param previews keys of previews that may end with the change, all of one slug's project: of several slugs each would end them
 * @param from when the pointers are to be written
 */
export function pointerWrites(slugs: readonly string[], from: Date, previews: readonly string[] = []): Write[] {
  return environment.gamesStoreArn() === undefined ? [] : waitingWrites(slugs, from, previews);
}

/** The same for the function at the edge, which does not know the store. */
export function waitingWrites(slugs: readonly string[], from: Date, previews: readonly string[] = []): Write[] {
  return batchesOf(slugs, slugsPerItem).map((batch) => {
    const waiting: WaitingPointers = { id: newId(from), from: from.toISOString(), slugs: batch, previews };
    return put(keys.waitingPointers(waiting), waiting);
  });
}

/** A page of the pointers that are to be written at a time, as {@link readDue}. */
export async function readWaitingPointers(
  now: Date,
  { limit, after }: { readonly limit: number; readonly after?: WaitingPointers | undefined },
): Promise<{ readonly waiting: readonly WaitingPointers[]; readonly isComplete: boolean }> {
  const slice = { limit, after: after && keys.waitingPointers(after).SK };
  const { items, last } = await readDue<WaitingPointers>(pointerPartition, now, slice);
  return { waiting: items, isComplete: last === undefined };
}

/** Counts a write of an account's change that its own request makes. @returns how many there were this day, in UTC, with it */
export async function countDirectWrite(accountKey: string, now: Date): Promise<number> {
  return await count(keys.directWrites(accountKey, dayOf(now)), now);
}

/** The same for all accounts. @returns how many there were this minute, with it */
export async function countDirectWriteOfAll(now: Date): Promise<number> {
  return await count(keys.directWritesOfAll(now.toISOString().slice(0, 16)), now);
}

async function count(Key: ReturnType<typeof keys.directWrites>, now: Date): Promise<number> {
  const { Attributes } = await send(
    new UpdateCommand({
      TableName: environment.tableName(),
      Key,
      UpdateExpression: "SET #ttl = :ttl ADD #count :one",
      ExpressionAttributeNames: { "#count": "count", "#ttl": "ttl" },
      ExpressionAttributeValues: { ":one": 1, ":ttl": ttlAfter(now, 2) },
      ReturnValues: "UPDATED_NEW",
    }),
  );
  return Number(Attributes?.["count"]);
}

/** Deletes those that the store has. */
export async function removeWaitingPointers(written: readonly WaitingPointers[]): Promise<void> {
  await deleteItems(written.map(keys.waitingPointers));
}
