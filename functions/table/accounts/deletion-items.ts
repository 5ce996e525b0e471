import { ConflictError } from "../../conflict.ts";
import type { Account } from "../../entities/account.ts";
import { asRead } from "../expressions.ts";
import { keys } from "../keys.ts";
import { expireLedger } from "../projects/ledger.ts";
import { readItems } from "../read.ts";
import { expiryNoticeKey } from "../tokens/expiry-notices.ts";
import { change, put, remove, transact, tryTransact } from "../transaction.ts";
import { deleteItems, type ErasableItem, readErasable } from "./erase.ts";
import { endOfHistory } from "./events.ts";

/**
 * Deletes an account and leaves a tombstone, both or neither. Without the account its tokens are refused. The caller
 * then has to erase them and everything else of the account. One that another request has deleted needs no other tombstone.
 *
 * @throws ConflictError if the account has projects, or is suspended
 */
export async function removeAccount({ key }: Account, now: Date): Promise<void> {
  const failed = await tryTransact({
    account: remove(keys.account(key), asRead({ projectCount: 0, suspension: undefined })),
    tombstone: put(keys.tombstone(key), { deletedAt: now.toISOString(), isErasing: true as const }),
  });
  if (failed?.item) throw new ConflictError();
}

/** Whether an account was deleted and something of it is still there. */
export async function isErasing(key: string): Promise<boolean> {
  const [tombstone] = await readItems([keys.tombstone(key)]);
  return tombstone?.isErasing === true;
}

/** The key of the notice that an item's token would expire; none for another item. */
function expiryNoticeOf(item: ErasableItem) {
  if (item.expiresAt === undefined) return [];
  return [expiryNoticeKey({ ...item, expiresAt: item.originalExpiresAt ?? item.expiresAt })];
}

/** Erases the other items of a deleted account's partition, and the name under which it has published. Its tombstone and its ledger are kept as long as events are. */
export async function eraseAccount(key: string, now: Date): Promise<void> {
  const tombstone = keys.tombstone(key);
  for (;;) {
    const items = (await readErasable(tombstone)).filter(({ SK }) => SK !== tombstone.SK);
    if (items.length === 0) break;
    // Before the tokens, from which their keys follow.
    await deleteItems(items.flatMap(expiryNoticeOf));
    await deleteItems(items);
  }
  await deleteItems([keys.author(key)]);
  await expireLedger(key, endOfHistory(now));
  await transact({
    tombstone: change(tombstone, "SET #ttl = :ttl REMOVE isErasing", {
      values: { ":ttl": endOfHistory(now) },
    }),
  });
}
