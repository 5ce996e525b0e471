import { privateEdits, userEdits } from "../../../contract/api/accounts/accounts.ts";
import { camelCase } from "../../../contract/api/camel-keys.ts";
import type { Account, AccountEvent, Identity, ProfileChanges, ProviderChanges } from "../../entities/account.ts";
import * as environment from "../../environment.ts";
import {
  changeAccount,
  changeProfile,
  insertAccount,
  readAccount,
  requestApproval,
  upgradeAccount,
} from "../../table/accounts/account-items.ts";
import { readEvents } from "../../table/accounts/events.ts";
import { accountKey } from "../../table/keys.ts";
import { cursorAfter, type Page, sliceOf } from "../pages.ts";
import { ServiceError } from "../service-error.ts";
import { assertMayBecomeDeveloper } from "./developers.ts";

/**
 * Signs a person in: creates the account, makes a user a developer if `role` asks for it, and takes the email address,
 * and the name until it is edited, from the provider. Nothing makes a developer a user again.
 *
 * @returns the account afterwards, and whether this call created it
 * @throws ServiceError `account_erasure_unfinished`; `developer_not_allowed`, with nothing stored; `developer_approval_pending`,
 *   with a user's account that waits for the operator
 */
export async function signIn(request: {
  person: Identity;
  account: Account | undefined;
  role: "user" | "dev" | undefined;
  now: Date;
}): Promise<{ account: Account; created: boolean }> {
  const { person, account: existing, role, now } = request;
  const isUpgrade = role === "dev" && existing?.role !== "dev";
  if (isUpgrade) assertMayBecomeDeveloper(person);
  if (isUpgrade && environment.developersNeedApproval()) {
    const { account } = await signIn({ ...request, role: "user" });
    if (account.developerRequestedAt === undefined) await requestApproval(account, now);
    throw new ServiceError("developer_approval_pending");
  }
  if (existing !== undefined) return { account: await refresh(existing, person, role, now), created: false };
  const account = newAccount(person, role ?? "user", now);
  if (!(await insertAccount(account, now))) throw new ServiceError("account_erasure_unfinished");
  return { account, created: true };
}

function newAccount(person: Identity, role: Account["role"], now: Date): Account {
  return {
    key: accountKey(person.issuer, person.uid),
    uid: person.uid,
    name: person.name ?? person.placeholderName,
    nameFollowsProvider: true,
    avatar: person.avatar,
    email: person.email,
    emailVerified: person.emailVerified,
    role,
    createdAt: now.toISOString(),
    ...(role === "dev" && { developerSince: now.toISOString() }),
    activeTokens: {},
    projectCount: 0,
  };
}

async function refresh(account: Account, person: Identity, role: Account["role"] | undefined, now: Date) {
  const isUpgrade = role === "dev" && account.role === "user";
  return await follow(isUpgrade ? await upgradeAccount(account, { now }) : account, person);
}

/** Takes from the provider what has changed there. An edit of the name that happens meanwhile wins. */
async function follow(account: Account, person: Identity): Promise<Account> {
  const changes = providerChanges(account, person);
  return Object.keys(changes).length === 0 ? account : await changeAccount(account, changes);
}

function providerChanges(account: Account, person: Identity): ProviderChanges {
  const { name, email, emailVerified } = person;
  const isOtherEmail = email !== account.email || emailVerified !== account.emailVerified;
  return {
    ...(account.nameFollowsProvider && name !== null && name !== account.name && { name, nameFollowsProvider: true }),
    ...(email !== null && isOtherEmail && { email, emailVerified }),
  };
}

/** The fields that every user may edit. */
const userFields = new Set(Object.keys({ ...userEdits, ...privateEdits }).map(camelCase));

/**
 * Changes the profile. What the contract does not give to every user is for developers.
 *
 * @throws ServiceError `developer_required`
 */
export async function editProfile(account: Account, changes: ProfileChanges): Promise<Account> {
  const changed = Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (changed.length === 0) return account;
  const isForDevelopers = changed.some((name) => !userFields.has(name));
  if (isForDevelopers && account.role !== "dev") throw new ServiceError("developer_required");
  const edited = changes.name === undefined ? changes : { ...changes, nameFollowsProvider: false };
  return await changeProfile(account, edited);
}

/**
 * The account of the user whom the configured identity provider knows by `uid`.
 *
 * @throws ServiceError `user_not_found`, also for a suspended account
 */
export async function findUser(uid: string): Promise<Account> {
  const account = await readAccount(accountKey(environment.idpIssuer(), uid));
  if (account === undefined || account.suspension) throw new ServiceError("user_not_found");
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
  const { items, last } = await readEvents(account.key, sliceOf(page, `events of ${account.key}`));
  return { events: items, nextCursor: cursorAfter(last, `events of ${account.key}`) };
}
