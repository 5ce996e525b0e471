import { limits } from "../../../contract/api/limits.ts";
import type { PendingPublisher, PendingPublishers, WaitingAccounts } from "../../entities/publisher.ts";
import { eventWrites } from "../accounts/events.ts";
import { ttlAfter } from "../attributes.ts";
import { keys } from "../keys.ts";
import { readItems } from "../read.ts";
import { asRead, put, transact, type Write } from "../transaction.ts";

/*
 * Pending publishers stand in one item of their account, so that their number is exact; an item of each slug says which accounts wait
 * for it. It may name more accounts than do: the account's item decides.
 */

/** The pending publishers of an account, and which accounts wait for a slug. */
export async function readPending(accountKey: string, slug: string | undefined) {
  const [own, waiting] = await readItems([
    keys.pendingPublishers(accountKey),
    slug === undefined ? undefined : keys.waitingAccounts(slug),
  ]);
  return { own, waiting };
}

export async function readWaitingFor(slug: string): Promise<WaitingAccounts | undefined> {
  const [waiting] = await readItems([keys.waitingAccounts(slug)]);
  return waiting;
}

/** The pending publishers of several accounts; those that have some. */
export async function readWaiting(accountKeys: readonly string[]) {
  const items = await readItems(accountKeys.map((key) => keys.pendingPublishers(key)));
  return items.flatMap((own, index) => (own ? [{ accountKey: accountKeys[index] ?? "", own }] : []));
}

/** Stores a pending publisher, provided that those of the account and the accounts that wait are as they were read. */
export async function storePending({
  accountKey,
  slug,
  own,
  waiting,
  pending,
  now,
}: {
  readonly accountKey: string;
  readonly slug: string;
  readonly own: PendingPublishers | undefined;
  readonly waiting: WaitingAccounts | undefined;
  readonly pending: PendingPublisher;
  readonly now: Date;
}): Promise<void> {
  const accounts = { ...waiting?.accounts, [accountKey]: pending.expiresAt };
  await transact({
    own: ownWrite(accountKey, own, { ...own?.publishers, [slug]: pending }),
    waiting: put(
      keys.waitingAccounts(slug),
      { accounts, ttl: ttlAfter(now, limits.pendingPublisherDays) },
      asRead({ accounts: waiting?.accounts }),
    ),
    event: eventWrites(accountKey, now, { type: "publisher_added", project: slug, publisherId: pending.publisher.id }),
  });
}

/** Stores the pending publishers of an account without one of them, provided that they are as they were read. */
export async function removePending({
  accountKey,
  slug,
  own,
  now,
}: {
  readonly accountKey: string;
  readonly slug: string;
  readonly own: PendingPublishers;
  readonly now: Date;
}): Promise<void> {
  const publisherId = own.publishers[slug]?.publisher.id;
  await transact({
    own: withoutPending(accountKey, slug, own),
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
