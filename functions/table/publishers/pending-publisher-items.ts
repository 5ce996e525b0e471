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
  const [own] = await readItems([keys.pendingPublishers(accountKey)]);
  return own;
}

interface PendingEdit {
  readonly accountKey: string;
  readonly slug: string;
  /** The account's as they were read. */
  readonly own: PendingPublishers | undefined;
  readonly now: Date;
}

/** Stores a pending publisher, provided that those of the account are as they were read. */
export async function storePending(
  { accountKey, slug, own, now }: PendingEdit,
  pending: PendingPublisher,
): Promise<void> {
  await transact({
    own: ownWrite(accountKey, own, { ...own?.publishers, [slug]: pending }),
    event: eventWrites(accountKey, now, { type: "publisher_added", project: slug, publisherId: pending.publisher.id }),
  });
}

/** Stores the pending publishers of an account without one of them, provided that they are as they were read. */
export async function removePending({ accountKey, slug, own, now }: PendingEdit): Promise<void> {
  const publisherId = own?.publishers[slug]?.publisher.id;
  await transact({
    own: own && withoutPending(accountKey, slug, own),
    event: eventWrites(accountKey, now, { type: "publisher_removed", project: slug, publisherId }),
  });
}

/** The write that takes a pending publisher off its account, where the project is created by it. */
export function withoutPending(accountKey: string, slug: string, own: PendingPublishers): Write<PendingPublishers> {
  const { [slug]: _, ...left } = own.publishers;
  return ownWrite(accountKey, own, left);
}

function ownWrite(
  accountKey: string,
  own: PendingPublishers | undefined,
  publishers: PendingPublishers["publishers"],
): Write<PendingPublishers> {
  return put(keys.pendingPublishers(accountKey), { publishers }, asRead({ publishers: own?.publishers }));
}
