import type { Account, ProfileChanges, ProviderChanges } from "../../domain/entities.ts";
import { keys } from "../keys.ts";
import { readItems } from "../read.ts";
import { change, check, putNew, transact } from "../transaction.ts";
import { updateItem } from "../update.ts";
import { eventWrites } from "./events.ts";

export async function readAccount(key: string): Promise<Account | undefined> {
  const [account] = await readItems([keys.account(key)]);
  return account;
}

/**
 * Stores a new account with its first events.
 *
 * @returns the account that exists already, which is left as it is; "erasing" where something of a deleted one is still
 *   there; undefined where this one was stored
 */
export async function insertAccount(account: Account, now: Date): Promise<Account | "erasing" | undefined> {
  const failed = await transact({
    tombstone: check(keys.tombstone(account.key), { condition: "attribute_not_exists(isErasing)" }),
    account: putNew(keys.account(account.key), account),
    created: eventWrites(account.key, now, { type: "account_created" }),
    upgraded: account.role === "dev" ? eventWrites(account.key, now, { type: "role_upgraded" }) : [],
  });
  if (failed === undefined) return undefined;
  if (failed.name === "tombstone") return "erasing";
  if (failed.name !== "account" || failed.item === undefined) throw new Error(`The write ${failed.name} failed`);
  return failed.item;
}

/**
 * Makes a user a developer. An account that is a developer's already is left as it is.
 *
 * @returns the account afterwards; undefined where there is none
 */
export async function upgradeAccount(account: Account, now: Date): Promise<Account | undefined> {
  const developerSince = now.toISOString();
  const failed = await transact({
    account: change(keys.account(account.key), "SET #role = :dev, developerSince = :now", {
      condition: "#role = :user",
      names: { "#role": "role" },
      values: { ":dev": "dev", ":user": "user", ":now": developerSince },
    }),
    event: eventWrites(account.key, now, { type: "role_upgraded" }),
  });
  if (failed === undefined) return { ...account, role: "dev", developerSince };
  return failed.name === "account" ? failed.item : undefined;
}

/**
 * Changes attributes of an account. A name is changed only where the account still has `nameBefore`, if that is given.
 *
 * @returns the account afterwards; undefined where there is none, or it has another name
 */
export async function changeAccount(
  accountKey: string,
  changes: ProfileChanges & ProviderChanges,
  nameBefore?: string,
): Promise<Account | undefined> {
  const isNameGuarded = changes.name !== undefined && nameBefore !== undefined;
  const condition = isNameGuarded
    ? { condition: "attribute_exists(PK) AND #name = :nameBefore", values: { ":nameBefore": nameBefore } }
    : { condition: "attribute_exists(PK)" };
  return await updateItem(keys.account(accountKey), changes, condition);
}
