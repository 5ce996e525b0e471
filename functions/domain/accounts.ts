import { ServiceError } from "../../contract/errors.ts";
import { environment } from "../environment.ts";
import {
  type Account,
  createAccount,
  type ProfileChanges,
  readAccount,
  updateAccount,
  upgradeAccount,
} from "../table/accounts.ts";
import { accountKey } from "../table/keys.ts";
import type { Person } from "./authentication.ts";

export type { Account, ProfileChanges } from "../table/accounts.ts";
export { type AccountEvent, listEvents } from "../table/events.ts";

/**
 * Signs a person in: creates the account, upgrades it to a developer's where that is asked for, and refreshes the email
 * address. Nothing downgrades an account, and what the person edited stays (specification, Account role).
 *
 * @returns the account as it now is, and whether this call created it
 */
export async function signIn(request: {
  person: Person;
  account: Account | undefined;
  role: "user" | "dev" | undefined;
  now: Date;
}): Promise<{ account: Account; created: boolean }> {
  const { person, role, now } = request;
  if (request.account !== undefined)
    return { account: await refresh(request.account, person, role, now), created: false };
  const { account, created } = await createAccount(newAccount(person, role ?? "user", now), now);
  return created ? { account, created } : { account: await refresh(account, person, role, now), created };
}

function newAccount(person: Person, role: Account["role"], now: Date): Account {
  return {
    key: accountKey(person.issuer, person.uid),
    uid: person.uid,
    name: person.name,
    avatar: person.avatar,
    email: person.email,
    role,
    createdAt: now.toISOString(),
    ...(role === "dev" && { developerSince: now.toISOString() }),
    activeTokens: {},
    projectCount: 0,
  };
}

async function refresh(account: Account, person: Person, role: Account["role"] | undefined, now: Date) {
  const email = person.email ?? account.email;
  if (role === "dev" && account.role === "user") return await upgradeAccount(account, email, now);
  return email === account.email ? account : await updateAccount(account.key, { email });
}

/**
 * Changes the profile; the display name and the bio belong to the developer record.
 *
 * @throws ServiceError `developer_required` where a user who is no developer changes those
 */
export async function editProfile(account: Account, changes: ProfileChanges): Promise<Account> {
  const isForDevelopers = changes.displayName !== undefined || changes.bio !== undefined;
  if (isForDevelopers && account.role !== "dev") throw new ServiceError("developer_required");
  const isEmpty = Object.values(changes).every((value) => value === undefined);
  return isEmpty ? account : await updateAccount(account.key, changes);
}

/**
 * The account of the person whom the configured identity provider knows by `uid`.
 *
 * @throws ServiceError `user_not_found`
 */
export async function findUser(uid: string): Promise<Account> {
  const account = await readAccount(accountKey(environment.idpIssuer, uid));
  if (account === undefined) throw new ServiceError("user_not_found");
  return account;
}
