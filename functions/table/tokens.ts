import { ServiceError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { Scope } from "../../contract/route.ts";
import type { Account } from "./accounts.ts";
import { eventWrite } from "./events.ts";
import { keys, prefixes } from "./keys.ts";
import { type Page, readPage } from "./read.ts";
import { transact, type Write } from "./transaction.ts";
import { update } from "./update.ts";

/** A personal access token as it is stored: never its raw value, only the SHA-256 of it. */
export interface Token {
  readonly id: string;
  /** Of the account that owns it. */
  readonly accountKey: string;
  /** SHA-256 of the raw token, base64. */
  readonly hash: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** The only projects that it may act on; null: all of its owner's. */
  readonly projects: readonly string[] | null;
  readonly hint: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly revokedAt?: string;
  readonly lastUsedAt?: string;
}

/** The tokens in an account's count whose time is over. */
function expiredSlots(account: Account, now: Date): string[] {
  return Object.entries(account.activeTokens)
    .filter(([, expiresAt]) => expiresAt <= now.toISOString())
    .map(([id]) => id);
}

/**
 * Stores a token, its place among the account's active ones and its event, all or nothing. Expired tokens lose their
 * place in the same write, so the limit of 50 active tokens is exact however many calls race. The projects that it is
 * narrowed to must be the account's.
 *
 * @returns false where the account has changed since it was read in a way that matters; read it again and retry
 * @throws ServiceError `token_limit_reached`, `validation_failed`, `account_required`, `developer_required`
 */
export async function createToken(account: Account, token: Token, now: Date): Promise<boolean> {
  const failed = await transact([
    placeTaken(account, token, now),
    {
      Put: {
        Item: { ...keys.token(account.key, token.id), ...token },
        ConditionExpression: "attribute_not_exists(PK)",
      },
    },
    eventWrite(account.key, now, { type: "token_created", tokenId: token.id }),
    ...(token.projects ?? []).map((slug) => ({
      ConditionCheck: { Key: keys.ownership(account.key, slug), ConditionExpression: "attribute_exists(PK)" },
    })),
  ]);
  if (failed === undefined) return true;
  if (failed.index >= firstProject) throw unknownProject(failed.index - firstProject);
  if (failed.index !== 0) throw new Error("A new token has the id of an existing one");
  assertHasPlace(failed.item as unknown as Account | undefined, now);
  return false;
}

/** The write that adds a token to the account's active ones and takes away those whose time is over, all that were seen. */
function placeTaken(account: Account, token: Token, now: Date): Write {
  const expired = expiredSlots(account, now);
  const names = Object.fromEntries(expired.map((id, index) => [`#e${index}`, id]));
  const swept = Object.keys(names).map((name) => `activeTokens.${name}`);
  const stillThere = swept.map((path) => `attribute_exists(${path})`);
  return {
    Update: {
      Key: keys.account(account.key),
      UpdateExpression: `SET activeTokens.#id = :expiresAt${swept.length > 0 ? ` REMOVE ${swept.join(", ")}` : ""}`,
      ConditionExpression: ["#role = :dev", "size(activeTokens) < :limit", ...stillThere].join(" AND "),
      ExpressionAttributeNames: { ...names, "#id": token.id, "#role": "role" },
      ExpressionAttributeValues: {
        ":expiresAt": token.expiresAt,
        ":dev": "dev",
        ":limit": limits.activeTokensPerAccount + expired.length,
      },
    },
  };
}

/** @throws ServiceError that says why an account cannot take another token, where it really cannot */
function assertHasPlace(account: Account | undefined, now: Date): void {
  if (account === undefined) throw new ServiceError("account_required");
  if (account.role !== "dev") throw new ServiceError("developer_required");
  const active = Object.keys(account.activeTokens).length - expiredSlots(account, now).length;
  if (active >= limits.activeTokensPerAccount) throw new ServiceError("token_limit_reached");
}

/** Where the writes of a creation that check the token's projects begin. */
const firstProject = 3;

function unknownProject(index: number): ServiceError {
  const detail = "is not a project of yours";
  return new ServiceError("validation_failed", { errors: [{ pointer: `/projects/${index}`, detail }] });
}

/**
 * Revokes a token and frees its place among the active ones; revoking it again changes nothing.
 *
 * @throws ServiceError `token_not_found` where the account has no such token
 */
export async function revokeToken(accountKey: string, tokenId: string, now: Date): Promise<void> {
  const failed = await transact([
    {
      Update: {
        Key: keys.token(accountKey, tokenId),
        UpdateExpression: "SET revokedAt = :now",
        ConditionExpression: "attribute_exists(PK) AND attribute_not_exists(revokedAt)",
        ExpressionAttributeValues: { ":now": now.toISOString() },
      },
    },
    {
      Update: {
        Key: keys.account(accountKey),
        UpdateExpression: "REMOVE activeTokens.#id",
        ConditionExpression: "attribute_exists(PK)",
        ExpressionAttributeNames: { "#id": tokenId },
      },
    },
    eventWrite(accountKey, now, { type: "token_revoked", tokenId }),
  ]);
  if (failed?.index === 0 && failed.item === undefined) throw new ServiceError("token_not_found");
  if (failed?.index === 1) throw new ServiceError("account_required");
}

/** One page of an account's tokens, revoked and expired ones too. Pages follow the ids; within one the newest is first. */
export async function listTokens(
  accountKey: string,
  page: Page,
): Promise<{ tokens: Token[]; nextCursor: string | null }> {
  const { items, nextCursor } = await readPage({
    partition: keys.account(accountKey).PK,
    prefix: prefixes.token,
    newestFirst: false,
    page,
  });
  const tokens = (items as unknown as Token[]).toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  return { tokens, nextCursor };
}

/** Notes that a token was used, with an event the first time. Where another request noted it already, nothing happens. */
export async function recordTokenUse({ accountKey, id, lastUsedAt }: Token, now: Date): Promise<void> {
  const key = keys.token(accountKey, id);
  if (lastUsedAt !== undefined) {
    const set = { lastUsedAt: now.toISOString() };
    await update({ key, set, condition: "lastUsedAt = :seen", values: { ":seen": lastUsedAt } });
    return;
  }
  await transact([
    {
      Update: {
        Key: key,
        UpdateExpression: "SET lastUsedAt = :now",
        ConditionExpression: "attribute_exists(PK) AND attribute_not_exists(lastUsedAt)",
        ExpressionAttributeValues: { ":now": now.toISOString() },
      },
    },
    eventWrite(accountKey, now, { type: "token_first_used", tokenId: id }),
  ]);
}
