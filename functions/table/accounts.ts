import { ServiceError } from "../../contract/errors.ts";
import { eventWrite } from "./events.ts";
import { keys } from "./keys.ts";
import { readItems } from "./read.ts";
import { transact } from "./transaction.ts";
import { update } from "./update.ts";

/** A person's account: the user record and, for a developer, the developer record, in one item. */
export interface Account {
  /** The digest of issuer and uid that all keys of its items hold. */
  readonly key: string;
  readonly uid: string;
  readonly name: string;
  readonly avatar: string | null;
  readonly email: string | null;
  readonly role: "user" | "dev";
  readonly createdAt: string;
  /** Set once the account is a developer's. */
  readonly developerSince?: string;
  readonly displayName?: string | null;
  readonly bio?: string | null;
  /** The expiry of every token that is neither revoked nor swept: the exact count that the limit is held against. */
  readonly activeTokens: Readonly<Record<string, string>>;
  readonly projectCount: number;
}

/** What the person may edit; undefined leaves a field as it is. */
export interface ProfileChanges {
  readonly name?: string | undefined;
  readonly avatar?: string | null | undefined;
  readonly displayName?: string | null | undefined;
  readonly bio?: string | null | undefined;
}

/** The account that has this key. */
export async function readAccount(key: string): Promise<Account | undefined> {
  const [account] = await readItems([keys.account(key)]);
  return account as unknown as Account | undefined;
}

/**
 * Creates an account with its first events, unless there is one by now.
 *
 * @returns the account that exists afterwards and whether this call created it
 */
export async function createAccount(account: Account, now: Date): Promise<{ account: Account; created: boolean }> {
  const failed = await transact([
    {
      Put: { Item: { ...keys.account(account.key), ...account }, ConditionExpression: "attribute_not_exists(PK)" },
    },
    eventWrite(account.key, now, { type: "account_created" }),
    ...(account.role === "dev" ? [eventWrite(account.key, now, { type: "role_upgraded" })] : []),
  ]);
  return failed ? { account: failed.item as unknown as Account, created: false } : { account, created: true };
}

/**
 * Makes a user a developer and refreshes the email address; the loser of two racing upgrades changes nothing.
 *
 * @throws ServiceError `account_required` where the account is gone
 */
export async function upgradeAccount(account: Account, email: string | null, now: Date): Promise<Account> {
  const developerSince = now.toISOString();
  const failed = await transact([
    {
      Update: {
        Key: keys.account(account.key),
        UpdateExpression: "SET #role = :dev, developerSince = :now, email = :email",
        ConditionExpression: "#role = :user",
        ExpressionAttributeNames: { "#role": "role" },
        ExpressionAttributeValues: { ":dev": "dev", ":user": "user", ":now": developerSince, ":email": email },
      },
    },
    eventWrite(account.key, now, { type: "role_upgraded" }),
  ]);
  if (failed === undefined) return { ...account, role: "dev", developerSince, email };
  if (failed.item === undefined) throw new ServiceError("account_required");
  return failed.item as unknown as Account;
}

/**
 * Changes the given attributes of an account and returns it as it then is.
 *
 * @throws ServiceError `account_required` where the account is gone
 */
export async function updateAccount(
  accountKey: string,
  changes: ProfileChanges & { email?: string | null },
): Promise<Account> {
  const account = await update({ key: keys.account(accountKey), set: changes, condition: "attribute_exists(PK)" });
  if (account === undefined) throw new ServiceError("account_required");
  return account as unknown as Account;
}
