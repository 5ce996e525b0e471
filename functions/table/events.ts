import type * as z from "zod/mini";
import type { eventType } from "../../contract/accounts.ts";
import { limits } from "../../contract/limits.ts";
import { newId } from "./ids.ts";
import { keys, prefixes } from "./keys.ts";
import { type Page, readPage } from "./read.ts";
import type { Write } from "./transaction.ts";

export type EventType = z.infer<typeof eventType>;

/** Something that happened to an account. It holds no name, email address or secret. */
export interface AccountEvent {
  readonly id: string;
  readonly type: EventType;
  readonly at: string;
  /** The token that it happened to, or that did it. */
  readonly tokenId?: string | undefined;
  readonly project?: string;
  readonly releaseId?: string;
}

/** The write that records an event in the transaction of the change that it tells of; it is kept for 400 days. */
export function eventWrite(accountKey: string, now: Date, event: Omit<AccountEvent, "id" | "at">): Write {
  const id = newId(now);
  const ttl = Math.floor(now.getTime() / 1_000) + limits.eventRetentionDays * 86_400;
  return { Put: { Item: { ...keys.event(accountKey, id), id, at: now.toISOString(), ...event, ttl } } };
}

/** One page of an account's events, newest first. */
export async function listEvents(
  accountKey: string,
  page: Page,
): Promise<{ events: AccountEvent[]; nextCursor: string | null }> {
  const { items, nextCursor } = await readPage({
    partition: keys.account(accountKey).PK,
    prefix: prefixes.event,
    newestFirst: true,
    page,
  });
  return { events: items as unknown as AccountEvent[], nextCursor };
}
