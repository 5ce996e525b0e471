import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import type { PendingNotice } from "../../entities/notice.ts";
import type { Token } from "../../entities/token.ts";
import { type Key, keys } from "../keys.ts";
import { noticeWrite } from "../outbox.ts";
import { remove, type Write } from "../transaction.ts";

/** The notice that a token is about to expire, due a week before that. A token with a shorter life has none. */
export function expiryNotice({ id, accountKey, createdAt, expiresAt }: Token): Write | undefined {
  const at = dueAt(expiresAt);
  if (at <= createdAt) return undefined;
  return noticeWrite({ id, type: "token_expiring", at, accountKey, tokenId: id, expiresAt });
}

/** Its key: the token's id is the notice's too, so that both go together. */
export function expiryNoticeKey({
  accountKey,
  id,
  expiresAt,
}: Pick<Token, "accountKey" | "id" | "expiresAt">): Key<PendingNotice> {
  return keys.notice(accountKey, dueAt(expiresAt), id);
}

/**
 * Removes the notice of a token that is revoked or replaced. One that is due by now is the delivery's, which deletes it unsent.
 *
 * @param token without an expiry if the account's active tokens do not have it, so that it was revoked or has expired before
 */
export function withoutExpiryNotice(
  { accountKey, id, expiresAt }: Pick<Token, "accountKey" | "id"> & { readonly expiresAt: string | undefined },
  now: Date,
): Write | undefined {
  if (expiresAt === undefined || dueAt(expiresAt) <= now.toISOString()) return undefined;
  return remove(expiryNoticeKey({ accountKey, id, expiresAt }));
}

function dueAt(expiresAt: string): string {
  return new Date(Date.parse(expiresAt) - limits.tokenExpiryWarningDays * dayMilliseconds).toISOString();
}
