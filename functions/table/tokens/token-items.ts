import { limits } from "../../../contract/api/limits.ts";
import { ConflictError } from "../../conflict.ts";
import type { Account, AccountEvent } from "../../entities/account.ts";
import type { AuthorizationCode, DeviceRequest } from "../../entities/grant.ts";
import type { Idempotency } from "../../entities/idempotent-creation.ts";
import type { Client, Token } from "../../entities/token.ts";
import { countCreation } from "../accounts/creation-counts.ts";
import { endOfHistory, eventWrites } from "../accounts/events.ts";
import { asRead, itemExists } from "../expressions.ts";
import { idempotencyWrite } from "../idempotency-items.ts";
import { type Key, keys, ranges } from "../keys.ts";
import { readItems, readManyItems, readRange, type Slice } from "../read.ts";
import { change, check, putNew, transact, tryTransact, type Write, type Writes } from "../transaction.ts";
import { updateItem } from "../update.ts";
import { expiryNotice, withoutExpiryNotice } from "./expiry-notices.ts";

/** A grant, and the approval epoch that its account must still have. */
export interface ApprovedGrant {
  readonly key: Key<AuthorizationCode> | Key<DeviceRequest>;
  readonly approvalEpoch: number;
}

/** A token to be stored, and the revoked and expired ones to be taken off the account's active tokens in the same write. */
interface Insertion {
  /** As it was read. */
  readonly owner: Account;
  readonly token: Token;
  readonly endedIds: readonly string[];
  readonly now: Date;
  /** A grant that the token is exchanged for: it must exist and be unspent, and is spent by the same write. */
  readonly grant?: ApprovedGrant | undefined;
  readonly idempotency?: Idempotency | undefined;
}

/**
 * Stores a token, its entry in the account's active tokens and its event, all or nothing. The limit of active tokens is a
 * condition, so it is exact when calls race.
 *
 * @returns undefined if it is stored; otherwise why it never can be: the grant is spent, or the project at this index of the
 *   token's projects is not the account's
 */
export async function insertToken({
  owner,
  token,
  endedIds,
  now,
  grant,
  idempotency,
}: Insertion): Promise<undefined | "grant_spent" | { readonly notOwned: number }> {
  const { accountKey, id } = token;
  const failed = await tryTransact({
    idempotency: idempotencyWrite(idempotency, id, now),
    unreceived: insteadOfUnreceived(owner, idempotency, now),
    grant: grant && spend(grant.key, token, now),
    account: addToActive({ owner, token, endedIds, now }, { approvalEpoch: grant?.approvalEpoch }),
    token: storedToken(token),
    event: eventWrites(accountKey, now, { type: "token_created", tokenId: id }),
    expiry: expiryNotice(token),
    projects: (token.projects ?? []).map((slug) => check(keys.ownership(accountKey, slug), itemExists)),
  });
  if (failed === undefined) return undefined;
  if (failed.name === "grant") return "grant_spent";
  if (failed.name === "projects") return { notOwned: failed.index };
  throw new ConflictError();
}

/** Stores the replacement of a token, with its entry and its event, and lets the old token expire, all or nothing. */
export async function insertReplacement(
  { owner, token, endedIds, now, idempotency }: Insertion,
  old: { readonly token: Token; readonly endsAt: string },
): Promise<void> {
  const { accountKey, id } = token;
  const { id: oldId, expiresAt, originalExpiresAt = expiresAt } = old.token;
  await transact({
    idempotency: idempotencyWrite(idempotency, id, now),
    unreceived: insteadOfUnreceived(owner, idempotency, now),
    account: addToActive({ owner, token, endedIds, now }, { shortened: { id: oldId, endsAt: old.endsAt } }),
    token: storedToken(token),
    created: eventWrites(accountKey, now, { type: "token_created", tokenId: id }),
    expiry: [expiryNotice(token), withoutExpiryNotice({ ...old.token, expiresAt: originalExpiresAt }, now)],
    old: change(
      keys.token(accountKey, oldId),
      { expiresAt: old.endsAt, originalExpiresAt, ttl: endOfHistory(new Date(old.endsAt)) },
      asRead({ revokedAt: undefined, expiresAt }),
    ),
    rotated: eventWrites(accountKey, now, { type: "token_rotated", tokenId: oldId }),
  });
}

/**
 * The writes that revoke the token of an earlier request with the same idempotency key, whose response was lost: its raw value is
 * known to nobody. A token that was used was received.
 */
function insteadOfUnreceived(owner: Account, idempotency: Idempotency | undefined, now: Date): Writes | undefined {
  const { key: accountKey, activeTokens } = owner;
  const tokenId = idempotency?.earlier?.created;
  if (tokenId === undefined) return undefined;
  return [
    revocation(accountKey, tokenId, now, "attribute_not_exists(lastUsedAt)"),
    withoutExpiryNotice({ accountKey, id: tokenId, expiresAt: activeTokens[tokenId] }, now),
    ...eventWrites(accountKey, now, { type: "token_revoked", tokenId }),
  ];
}

function spend(grant: ApprovedGrant["key"], { id }: Token, now: Date): Write<unknown> {
  return change<unknown>(grant, "SET spentAt = :now, tokenId = :id", {
    condition: "attribute_exists(PK) AND attribute_not_exists(spentAt)",
    values: { ":now": now.toISOString(), ":id": id },
  });
}

function storedToken(token: Token): Write<Token> {
  const ttl = endOfHistory(new Date(token.expiresAt));
  return putNew(keys.token(token.accountKey, token.id), { ...token, ttl });
}

/** Each such id must still be there: the limit is raised by their number. */
function addToActive(
  { owner, token, endedIds, now }: Insertion,
  { shortened, approvalEpoch }: { shortened?: { id: string; endsAt: string }; approvalEpoch?: number | undefined },
): Write<Account> {
  const names = Object.fromEntries(endedIds.map((id, index) => [`#e${index}`, id]));
  const expired = Object.keys(names).map((name) => `activeTokens.${name}`);
  const removal = expired.length > 0 ? ` REMOVE ${expired.join(", ")}` : "";
  const stillThere = expired.map((path) => `attribute_exists(${path})`);
  const usable = "#role = :dev AND attribute_not_exists(suspension)";
  const approved = approvalEpoch === 0 ? ["attribute_not_exists(approvalEpoch)"] : ["approvalEpoch = :epoch"];
  const approval = approvalEpoch === undefined ? [] : approved;
  const shortening = shortened ? ", activeTokens.#old = :end" : "";
  const counted = countCreation(owner, now);
  const sets = `activeTokens.#id = :expiresAt, ${counted.set}${shortening}`;
  return change(keys.account(token.accountKey), `SET ${sets}${removal}`, {
    condition: [usable, counted.condition, "size(activeTokens) < :limit", ...approval, ...stillThere].join(" AND "),
    names: { ...names, "#id": token.id, ...(shortened && { "#old": shortened.id }) },
    values: {
      ...counted.values,
      ...(shortened && { ":end": shortened.endsAt }),
      ...(approvalEpoch && { ":epoch": approvalEpoch }),
      ":expiresAt": token.expiresAt,
      ":dev": "dev",
      ":limit": limits.activeTokensPerAccount + endedIds.length,
    },
  });
}

/** A token to be revoked; it has no expiry if the account's active tokens do not have it. */
type RevocableToken = Parameters<typeof withoutExpiryNotice>[0];

/**
 * Revokes a token and takes it off the account's active ones. A revoked token stays as it is.
 *
 * @param disclosure of a leaked token: where it was found
 * @returns whether the account has no such token, or is gone itself
 */
export async function markTokenRevoked(
  { accountKey, id: tokenId, expiresAt }: RevocableToken,
  now: Date,
  disclosure?: Pick<AccountEvent, "foundAt">,
): Promise<"no_token" | "no_account" | undefined> {
  const failed = await tryTransact({
    token: revocation(accountKey, tokenId, now),
    account: change(keys.account(accountKey), "REMOVE activeTokens.#id", {
      condition: "attribute_exists(PK)",
      names: { "#id": tokenId },
    }),
    expiry: withoutExpiryNotice({ accountKey, id: tokenId, expiresAt }, now),
    disclosed: disclosure && eventWrites(accountKey, now, { type: "token_disclosed", tokenId, ...disclosure }),
    revoked: eventWrites(accountKey, now, { type: "token_revoked", tokenId }),
  });
  if (failed?.name === "account") return "no_account";
  return failed && failed.item === undefined ? "no_token" : undefined;
}

/**
 * Revokes tokens of an account and takes them off its active ones, all or none, at most 24: a transaction has 100 writes.
 * Grants that are approved but not exchanged yet become no token.
 *
 * @param activeCount how many active tokens the account had when it was read
 * @returns false if the account's active tokens are others by now, or it is gone; nothing is written then
 */
export async function markTokensRevoked(
  accountKey: string,
  { active, activeCount }: { active: readonly (readonly [id: string, expiresAt: string])[]; activeCount: number },
  now: Date,
): Promise<boolean> {
  const ids = active.map(([id]) => id);
  const names = Object.fromEntries(ids.map((id, index) => [`#t${index}`, id]));
  const entries = Object.keys(names).map((name) => `activeTokens.${name}`);
  const removal = entries.length > 0 ? ` REMOVE ${entries.join(", ")}` : "";
  const failed = await tryTransact({
    account: change(keys.account(accountKey), `ADD approvalEpoch :one${removal}`, {
      condition: ["size(activeTokens) = :count", ...entries.map((entry) => `attribute_exists(${entry})`)].join(" AND "),
      names,
      values: { ":count": activeCount, ":one": 1 },
    }),
    tokens: ids.map((id) => revocation(accountKey, id, now)),
    expiries: active.map(([id, expiresAt]) => withoutExpiryNotice({ accountKey, id, expiresAt }, now)),
    events: ids.flatMap((tokenId) => eventWrites(accountKey, now, { type: "token_revoked", tokenId })),
  });
  return failed === undefined;
}

function revocation(accountKey: string, tokenId: string, now: Date, ...conditions: string[]): Write<Token> {
  const revoked = { revokedAt: now.toISOString(), ttl: endOfHistory(now) };
  const condition = ["attribute_exists(PK)", "attribute_not_exists(revokedAt)", ...conditions].join(" AND ");
  return change(keys.token(accountKey, tokenId), revoked, { condition });
}

export async function readToken(accountKey: string, tokenId: string): Promise<Token | undefined> {
  const [token] = await readItems([keys.token(accountKey, tokenId)]);
  return token;
}

/**
 * The check that a token is neither revoked nor expired, as part of every transaction that a request by token makes. A
 * request by ID token, without a token, has no such check.
 */
export function activeTokenCheck(
  token: Pick<Token, "accountKey" | "id"> | undefined,
  now: Date,
): Write<Token> | undefined {
  // A token that was erased with its account has no expiry to compare.
  const condition = "attribute_not_exists(revokedAt) AND expiresAt > :now";
  return token && check(keys.token(token.accountKey, token.id), { condition, values: { ":now": now.toISOString() } });
}

/** Tokens of an account in the order of their ids, revoked and expired ones too. */
export async function readTokens(accountKey: string, slice: Slice) {
  return await readRange(ranges.tokens(accountKey), slice);
}

/** Tokens of accounts by their ids; those that are there. */
export async function readTokensById(wanted: readonly Pick<Token, "accountKey" | "id">[]): Promise<Token[]> {
  const tokens = await readManyItems(wanted.map(({ accountKey, id }) => keys.token(accountKey, id)));
  return tokens.filter((token) => token !== undefined);
}

/** The tokens that accounts list as active; some may have expired since then. */
export async function readActiveTokens(accounts: Iterable<Pick<Account, "key" | "activeTokens">>): Promise<Token[]> {
  return await readTokensById(
    [...accounts].flatMap(({ key, activeTokens }) => Object.keys(activeTokens).map((id) => ({ accountKey: key, id }))),
  );
}

/**
 * Records that a token was used. The first use, and the first one from a network, are events. Nothing happens if another
 * request has recorded it.
 *
 * @param isNewNetwork whether the client's network is to be added to the token's
 */
export async function recordTokenUse(token: Token, by: Client, isNewNetwork: boolean, now: Date): Promise<void> {
  const { accountKey, id, lastUsedAt } = token;
  const key = keys.token(accountKey, id);
  const usedAt = now.toISOString();
  if (lastUsedAt !== undefined && !isNewNetwork) {
    await updateItem(key, { lastUsedAt: usedAt, lastUsedBy: by }, asRead({ lastUsedAt }));
    return;
  }
  const type = lastUsedAt === undefined ? "token_first_used" : "token_used_from_new_network";
  await tryTransact({
    token: firstUse(token, by, isNewNetwork, usedAt),
    event: eventWrites(accountKey, now, { type, tokenId: id, network: by.network ?? undefined }),
  });
}

function firstUse({ accountKey, id, lastUsedAt }: Token, by: Client, isNewNetwork: boolean, usedAt: string) {
  const isFirst = lastUsedAt === undefined ? "attribute_not_exists(lastUsedAt)" : "attribute_exists(lastUsedAt)";
  const isNew = "(attribute_not_exists(networks) OR NOT contains(networks, :network))";
  const networks = ", networks = list_append(if_not_exists(networks, :none), :networks)";
  return change(keys.token(accountKey, id), `SET lastUsedAt = :now, lastUsedBy = :by${isNewNetwork ? networks : ""}`, {
    condition: ["attribute_exists(PK)", isFirst, ...(isNewNetwork ? [isNew] : [])].join(" AND "),
    values: {
      ":now": usedAt,
      ":by": by,
      ...(isNewNetwork && { ":network": by.network, ":networks": [by.network], ":none": [] }),
    },
  });
}
