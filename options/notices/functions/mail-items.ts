import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type { Account } from "../../../functions/entities/account.ts";
import type { Token } from "../../../functions/entities/token.ts";
import * as environment from "../../../functions/environment.ts";
import { ttlAfter } from "../../../functions/table/attributes.ts";
import { send } from "../../../functions/table/client.ts";
import { keys } from "../../../functions/table/keys.ts";
import { readItems } from "../../../functions/table/read.ts";
import { recipientAttributes, type SentMails, sentMailsKey } from "./keys.ts";

/** Recipient data that is read to send a mail: no more than the attributes that the function's role may read. */
export interface Recipient {
  readonly account: Pick<Account, "email" | "emailVerified" | "releaseMails" | "suspension"> | undefined;
  readonly token: Pick<Token, "name" | "hint"> | undefined;
  /** The ids of the notices of the day for which the account has had a mail. */
  readonly mailed: ReadonlySet<string>;
}

/** Reads the account and token of a notice, and the notices of the day that the account had a mail about. */
export async function readRecipient(accountKey: string, tokenId: string | undefined, day: string): Promise<Recipient> {
  const itemKeys = [
    keys.account(accountKey),
    tokenId === undefined ? undefined : keys.token(accountKey, tokenId),
    sentMailsKey(accountKey, day),
  ] as const;
  const [account, token, sent] = await readItems(itemKeys, recipientAttributes);
  return { account, token, mailed: sent?.ids ?? new Set() };
}

/**
 * For how many days it is recorded which notices of a day were mailed: longer than any of them waits to be mailed
 * again.
 */
const keptDays = 3;

/** Records that a notice of a day was mailed. */
export async function recordMail(accountKey: string, day: string, noticeId: string, now: Date): Promise<void> {
  const Key = sentMailsKey(accountKey, day);
  const values: SentMails = { ids: new Set([noticeId]), ttl: ttlAfter(now, keptDays) };
  await send(
    new UpdateCommand({
      TableName: environment.tableName(),
      Key,
      UpdateExpression: "SET #ttl = :ttl ADD ids :ids",
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ExpressionAttributeValues: { ":ttl": values.ttl, ":ids": values.ids },
    }),
  );
}
