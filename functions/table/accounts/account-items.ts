import { ConflictError } from "../../conflict.ts";
import type { Account, ProfileChanges, ProviderChanges } from "../../entities/account.ts";
import type { ProjectRole } from "../../entities/project.ts";
import { asRead, itemExists, unchangedAttributes } from "../expressions.ts";
import { keys } from "../keys.ts";
import { readItems, readManyItems } from "../read.ts";
import { itemsLike } from "../scan.ts";
import { change, check, putNew, transact, tryTransact, type Write } from "../transaction.ts";
import { updateItem } from "../update.ts";
import { authorWrite } from "./author-items.ts";
import { eventWrites } from "./events.ts";

export async function readAccount(key: string): Promise<Account | undefined> {
  const [account] = await readItems([keys.account(key)]);
  return account;
}

/** Accounts by their keys, of which each is asked for once; those that are there. */
export async function readAccounts(accountKeys: readonly string[]): Promise<ReadonlyMap<string, Account>> {
  const accounts = await readManyItems([...new Set(accountKeys)].map(keys.account));
  return new Map(accounts.filter((account) => account !== undefined).map((account) => [account.key, account]));
}

/**
 * Stores a new account with its first events.
 *
 * @returns whether it was stored: not if something of a deleted one is still there
 */
export async function insertAccount(account: Account, now: Date): Promise<boolean> {
  const failed = await tryTransact({
    tombstone: check(keys.tombstone(account.key), { condition: "attribute_not_exists(isErasing)" }),
    account: putNew(keys.account(account.key), account),
    created: eventWrites(account.key, now, { type: "account_created" }),
    upgraded: account.role === "dev" ? eventWrites(account.key, now, { type: "role_upgraded" }) : undefined,
  });
  if (failed && failed.name !== "tombstone") throw new ConflictError();
  return failed === undefined;
}

/** Makes a user a developer, by their own request or, `approved`, by the operator. */
export async function upgradeAccount(
  { developerRequestedAt: _, ...account }: Account,
  { now, approved = false }: { readonly now: Date; readonly approved?: boolean },
): Promise<Account> {
  const developerSince = now.toISOString();
  await transact({
    account: change(
      keys.account(account.key),
      "SET #role = :dev, developerSince = :since REMOVE developerRequestedAt",
      asRead({ role: "user" }),
      { values: { ":dev": "dev", ":since": developerSince } },
    ),
    event: eventWrites(account.key, now, { type: "role_upgraded" }),
    approved: approved ? eventWrites(account.key, now, { type: "developer_approved" }) : undefined,
  });
  return { ...account, role: "dev", developerSince };
}

/** Records that a user waits for the operator to approve them as a developer. */
export async function requestApproval({ key }: Account, now: Date): Promise<void> {
  await transact({
    account: change(
      keys.account(key),
      { developerRequestedAt: now.toISOString() },
      asRead({ role: "user", developerRequestedAt: undefined }),
    ),
    event: eventWrites(key, now, { type: "developer_requested" }),
  });
}

/** The accounts that wait for the operator's approval. It reads the whole table, so only the operator's command does it. */
export async function readWaitingAccounts(): Promise<Account[]> {
  const waiting: Account[] = [];
  for await (const account of itemsLike(keys.account(""), { having: "developerRequestedAt" })) waiting.push(account);
  return waiting;
}

/**
 * The accounts with an email address, whatever its case. It reads the whole table, so only the operator's command does it; addresses are
 * compared here, so that none is in a request to the table.
 */
export async function readAccountsByEmail(email: string): Promise<Account[]> {
  const accounts: Account[] = [];
  for await (const account of itemsLike(keys.account(""), { having: "email" }))
    if (account.email?.toLowerCase() === email.toLowerCase()) accounts.push(account);
  return accounts;
}

/**
 * Changes attributes of an account that are as they were read.
 *
 * @returns the account afterwards
 * @throws ConflictError if there is none, or another change of them came meanwhile
 */
export async function changeAccount(account: Account, changes: ProfileChanges & ProviderChanges): Promise<Account> {
  const changed = await updateItem(
    keys.account(account.key),
    changes,
    itemExists,
    unchangedAttributes(account, changes),
  );
  if (changed === undefined) throw new ConflictError();
  return changed;
}

/**
 * The same of what its person edits. The display name stands in an item of its own too, which the public pages of the account's games read.
 *
 * @throws ConflictError as {@link changeAccount}
 */
export async function changeProfile(account: Account, changes: ProfileChanges & ProviderChanges): Promise<Account> {
  const { displayName } = changes;
  if (displayName === undefined) return await changeAccount(account, changes);
  await transact({
    account: change(keys.account(account.key), changes, itemExists, unchangedAttributes(account, changes)),
    author: authorWrite(account.key, displayName),
  });
  return { ...account, ...Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) };
}

/** The check that an account is still there, and not suspended. */
function accountCheck(accountKey: string): Write<Account> {
  return check(keys.account(accountKey), itemExists, asRead({ suspension: undefined }));
}

/** The check that an account can have a role in a project: each but viewer is for developers. */
export function personCheck(role: ProjectRole, accountKey: string): Write<Account> {
  return role === "viewer" ? accountCheck(accountKey) : developerCheck(accountKey);
}

/** The check that an account is still a developer's, and not suspended. */
export function developerCheck(accountKey: string): Write<Account> {
  return check(keys.account(accountKey), asRead({ role: "dev", suspension: undefined }));
}
