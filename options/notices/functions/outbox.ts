import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import type { PendingNotice } from "../../../functions/entities/notice.ts";
import * as environment from "../../../functions/environment.ts";
import { ttlAfter } from "../../../functions/table/attributes.ts";
import { send } from "../../../functions/table/client.ts";
import { itemExists } from "../../../functions/table/expressions.ts";
import { outboxPartition } from "../../../functions/table/keys.ts";
import { readDue, type Slice } from "../../../functions/table/read.ts";
import { put, remove, tryTransact } from "../../../functions/table/transaction.ts";
import { deadLetterKey } from "./keys.ts";

/*
 * The notices that have not left the service yet, as `functions/table/outbox.ts` has written them (decision 38).
 */

/** A notice that waits, with the key under which it is stored. */
export interface WaitingNotice extends PendingNotice {
  readonly PK: string;
  readonly SK: string;
}

/** The notices of a shard that are due at a time, as {@link readDue}. */
export async function readDueNotices(shard: number, now: Date, slice: Slice) {
  return await readDue<WaitingNotice>(outboxPartition(shard), now, slice);
}

/** Deletes a notice that was accepted, or that must not be sent any more. */
export async function removeNotice({ PK, SK }: WaitingNotice): Promise<void> {
  await send(new DeleteCommand({ TableName: environment.tableName(), Key: { PK, SK } }));
}

/** Time for which a notice that nobody accepted is kept for the operator. */
const keptDays = 90;

/** Takes a notice out of those that wait, and keeps it for 90 days. */
export async function moveToDeadLetters(notice: WaitingNotice, now: Date): Promise<void> {
  const { PK, SK, ...rest } = notice;
  const ttl = ttlAfter(now, keptDays);
  await tryTransact({
    waiting: remove({ PK, SK }, itemExists),
    deadLetter: put(deadLetterKey(notice.id), { ...rest, ttl }),
  });
}
