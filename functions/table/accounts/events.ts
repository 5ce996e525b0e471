import { limits } from "../../../contract/api/limits.ts";
import type { AccountEvent } from "../../entities/account.ts";
import { ttlAfter } from "../attributes.ts";
import { newId } from "../ids.ts";
import { keys, ranges } from "../keys.ts";
import { isNoticeType, noticeWrite } from "../outbox.ts";
import { readRange, type Slice } from "../read.ts";
import { put, type Write, type Writes } from "../transaction.ts";

export type NewEvent = Omit<AccountEvent, "id" | "at" | "ttl">;

/**
 * The writes of an event, to be made in the transaction of the change that it records: the event, which is kept for 400
 * days, and a notice of it, if its type is one that is sent.
 */
export function eventWrites(accountKey: string, now: Date, event: NewEvent): Writes {
  const stored = storedEvent(now, event);
  const { id, type, at, tokenId, project, network } = stored;
  return [
    put(keys.event(accountKey, id), stored),
    isNoticeType(type) ? noticeWrite({ id, type, at, accountKey, tokenId, project, network }) : undefined,
  ];
}

/** The same without a notice: for what another event of the same transaction tells. */
export function historyWrite(accountKey: string, now: Date, event: NewEvent): Write<AccountEvent> {
  const stored = storedEvent(now, event);
  return put(keys.event(accountKey, stored.id), stored);
}

export function storedEvent(now: Date, event: NewEvent): AccountEvent {
  return { id: newId(now), at: now.toISOString(), ...event, ttl: endOfHistory(now) };
}

/** The epoch seconds until which an event of this time is kept. */
export function endOfHistory(at: Date): number {
  return ttlAfter(at, limits.eventRetentionDays);
}

/** Events of an account, newest first. */
export async function readEvents(accountKey: string, slice: Slice) {
  return await readRange(ranges.events(accountKey), slice, { isDescending: true });
}

const eventsPerRead = 1_000;
const maximumReads = 10;

/**
 * The latest events that name a token, newest first, at most `limit`. Only the account's last 10,000 events are read.
 *
 * @returns the events, and whether these are all
 */
export async function readTokenEvents(
  accountKey: string,
  tokenId: string,
  limit: number,
): Promise<{ events: AccountEvent[]; isComplete: boolean }> {
  const filter = { condition: "tokenId = :token", values: { ":token": tokenId } };
  const events: AccountEvent[] = [];
  let after: string | undefined;
  for (let read = 0; read < maximumReads; read += 1) {
    const slice = { limit: eventsPerRead, after };
    const { items, last } = await readRange(ranges.events(accountKey), slice, { isDescending: true, filter });
    events.push(...items);
    if (events.length > limit) break;
    if (last === undefined) return { events, isComplete: true };
    after = last;
  }
  return { events: events.slice(0, limit), isComplete: false };
}
