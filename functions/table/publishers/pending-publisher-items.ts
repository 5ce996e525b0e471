import type { PendingPublisher, PendingPublishers } from "../../entities/publisher.ts";
import { eventWrites } from "../accounts/events.ts";
import { asRead } from "../expressions.ts";
import { keys } from "../keys.ts";
import { readItems } from "../read.ts";
import { put, transact, type Write } from "../transaction.ts";

/*
 * Pending publishers are in one item of their account, so that their number is exact.
 */

/** The pending publishers of an account. */
export async function readPending(accountKey: string): Promise<PendingPublishers | undefined> {
  const [pendingPublishers] = await readItems([keys.pendingPublishers(accountKey)]);
  return pendingPublishers;
}

interface PendingEdit {
  readonly accountKey: string;
  readonly slug: string;
  /** The account's as they were read. */
  readonly pendingPublishers: PendingPublishers | undefined;
  readonly now: Date;
}

/** Stores a pending publisher, provided that those of the account are as they were read. */
export async function storePending(
  { accountKey, slug, pendingPublishers, now }: PendingEdit,
  pending: PendingPublisher,
): Promise<void> {
  await transact({
    pendingPublishers: pendingWrite(accountKey, pendingPublishers, {
      ...pendingPublishers?.publishers,
      [slug]: pending,
    }),
    event: eventWrites(accountKey, now, { type: "publisher_added", project: slug, publisherId: pending.publisher.id }),
  });
}

/** Stores the pending publishers of an account without one of them, provided that they are as they were read. */
export async function removePending({ accountKey, slug, pendingPublishers, now }: PendingEdit): Promise<void> {
  const publisherId = pendingPublishers?.publishers[slug]?.publisher.id;
  await transact({
    pendingPublishers: pendingPublishers && withoutPending(accountKey, slug, pendingPublishers),
    event: eventWrites(accountKey, now, { type: "publisher_removed", project: slug, publisherId }),
  });
}

/** The write that takes a pending publisher off its account, where the project is created by it. */
export function withoutPending(
  accountKey: string,
  slug: string,
  pendingPublishers: PendingPublishers,
): Write<PendingPublishers> {
  const { [slug]: _, ...left } = pendingPublishers.publishers;
  return pendingWrite(accountKey, pendingPublishers, left);
}

function pendingWrite(
  accountKey: string,
  pendingPublishers: PendingPublishers | undefined,
  publishers: PendingPublishers["publishers"],
): Write<PendingPublishers> {
  return put(keys.pendingPublishers(accountKey), { publishers }, asRead({ publishers: pendingPublishers?.publishers }));
}
