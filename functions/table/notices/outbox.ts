import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import type { NoticeType } from "../../../contract/api/notice.ts";
import type { EventType } from "../../entities/account.ts";
import type { PendingNotice } from "../../entities/notice.ts";
import * as environment from "../../environment.ts";
import { ttlAfter } from "../attributes.ts";
import { send } from "../client.ts";
import { itemExists } from "../expressions.ts";
import { keys, outboxPartition } from "../keys.ts";
import { readDue, type Slice } from "../read.ts";
import { put, remove, tryTransact, type Write } from "../transaction.ts";

/*
 * The notices that have not left the service yet (decision 38). Each is written by the transaction of the change that it
 * is about, and deleted once somebody has accepted it.
 */

type NoticeWithoutEvent = "token_expiring" | "invitation_received" | "project_traffic_high" | "project_traffic_limited";

/** The types of events that are sent as notices. */
const sent: Readonly<Record<Exclude<NoticeType, NoticeWithoutEvent>, true>> = {
  account_suspended: true,
  token_created: true,
  token_first_used: true,
  token_used_from_new_network: true,
  token_disclosed: true,
  token_revoked: true,
  project_deleted: true,
  project_suspended: true,
  publisher_added: true,
  member_added: true,
  member_removed: true,
  member_role_changed: true,
  project_handed_over: true,
};

/** Whether an event of this type is sent as a notice. */
export function isNoticeType(type: EventType): type is EventType & NoticeType {
  return Object.hasOwn(sent, type);
}

export function noticeWrite(notice: PendingNotice): Write<PendingNotice> {
  return put(keys.notice(notice.accountKey, notice.at, notice.id), notice);
}

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

/** How long a notice that nobody accepted is kept for the operator. */
const keptDays = 90;

/** Takes a notice out of those that wait, and keeps it for 90 days. */
export async function moveToDeadLetters(notice: WaitingNotice, now: Date): Promise<void> {
  const { PK, SK, ...rest } = notice;
  const ttl = ttlAfter(now, keptDays);
  await tryTransact({
    waiting: remove({ PK, SK }, itemExists),
    deadLetter: put(keys.deadLetter(notice.id), { ...rest, ttl }),
  });
}
