import { environment } from "../environment.ts";
import { changeAccount, insertAccount, readAccount, upgradeAccount } from "../table/accounts.ts";
import { readEvents } from "../table/events.ts";
import { accountKey } from "../table/keys.ts";
import type { Person } from "./authentication.ts";
import type { Account, AccountEvent, ProfileChanges } from "./entities.ts";
import { cursorAfter, type Page, sliceOf } from "./pages.ts";
import { ServiceError } from "./service-error.ts";

/**
 * Signs a person in: creates the account, makes a user a developer where `role` asks for it, and refreshes the email
 * address. Nothing makes a developer a user again, and what the user edited stays.
 *
 * @returns the account afterwards, and whether this call created it
 * @throws ServiceError `account_required` where the account was deleted during the call
 */
export async function signIn(request: {
  person: Person;
  account: Account | undefined;
  role: "user" | "dev" | undefined;
  now: Date;
}): Promise<{ account: Account; created: boolean }> {
  const { person, role, now } = request;
  let existing = request.account;
  if (existing === undefined) {
    const account = newAccount(person, role ?? "user", now);
    existing = await insertAccount(account, now);
    if (existing === undefined) return { account, created: true };
  }
  return { account: await refresh(existing, person, role, now), created: false };
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
  if (role === "dev" && account.role === "user") return existing(await upgradeAccount(account, email, now));
  return email === account.email ? account : existing(await changeAccount(account.key, { email }));
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
  return isEmpty ? account : existing(await changeAccount(account.key, changes));
}

function existing(account: Account | undefined): Account {
  if (account === undefined) throw new ServiceError("account_required");
  return account;
}

/**
 * The account of the user whom the configured identity provider knows by `uid`.
 *
 * @throws ServiceError `user_not_found`
 */
export async function findUser(uid: string): Promise<Account> {
  const account = await readAccount(accountKey(environment.idpIssuer, uid));
  if (account === undefined) throw new ServiceError("user_not_found");
  return account;
}

/**
 * One page of an account's history, newest first.
 *
 * @throws ServiceError `invalid_cursor`
 */
export async function listEvents(
  account: Account,
  page: Page,
): Promise<{ events: AccountEvent[]; nextCursor: string | null }> {
  const { items, last } = await readEvents(account.key, sliceOf(page));
  return { events: items, nextCursor: cursorAfter(last) };
}
