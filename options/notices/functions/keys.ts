import type { PendingNotice } from "../../../functions/entities/notice.ts";
import { attributes } from "../../../functions/table/attributes.ts";
import type { Key } from "../../../functions/table/keys.ts";

/** The notices of a day that were mailed to an account, or whose mail SES refused. */
export interface SentMails {
  readonly ids: ReadonlySet<string>;
  /** Epoch seconds after which DynamoDB may delete it. */
  readonly ttl: number;
}

/** A notice that nobody accepted for a day. */
export function deadLetterKey(id: string): Key<PendingNotice> {
  return { PK: "OUTBOX#DEAD_LETTERS", SK: id };
}

/** Key outside the account's items: the function that mails notices may write it and nothing of an account. */
export function sentMailsKey(accountKey: string, day: string): Key<SentMails> {
  return { PK: `MAILS#${accountKey}`, SK: day };
}

/** The attributes of any item that the function that mails notices may read. A token's hash is not among them. */
export const recipientAttributes = [
  attributes.partitionKey,
  attributes.sortKey,
  "email",
  "emailVerified",
  "releaseMails",
  "suspension",
  "name",
  "hint",
  "ids",
] as const;
