import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import type { Scope } from "../../../contract/api/route.ts";
import { ConflictError } from "../../conflict.ts";
import type { Account, AccountEvent } from "../../entities/account.ts";
import type { Idempotency } from "../../entities/idempotent-creation.ts";
import type { Client, Token } from "../../entities/token.ts";
import * as environment from "../../environment.ts";
import { count } from "../../metrics.ts";
import { readAccount } from "../../table/accounts/account-items.ts";
import { readTokenEvents } from "../../table/accounts/events.ts";
import { tokenIdOf } from "../../table/keys.ts";
import { readProjectSlugs } from "../../table/projects/project-items.ts";
import { markJobTokenEnded } from "../../table/publishers/job-tokens.ts";
import type { Slice } from "../../table/read.ts";
import {
  type ApprovedGrant,
  insertReplacement,
  insertToken,
  markTokenRevoked,
  markTokensRevoked,
  readToken,
  readTokens,
  readTokensById,
  recordTokenUse,
} from "../../table/tokens/token-items.ts";
import { assertMayCreate } from "../accounts/creations.ts";
import { cursorAfter, type Page, sliceOf, sliceOfAll } from "../pages.ts";
import { lineageOf } from "../projects/state.ts";
import { ServiceError } from "../service-error.ts";
import { RawToken } from "./raw-token.ts";

/** Properties that a developer asks for in a new token. */
export interface TokenRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly projects: readonly string[] | null;
  readonly expiresAt: Date | undefined;
  readonly expiresInDays: number | undefined;
}

/** Additional work of the transaction that stores a token. */
export interface TokenCreation {
  /** It spends this grant. */
  readonly grant?: ApprovedGrant;
  /** It keeps the token's id under this idempotency key, and revokes the token of an earlier request with the same one. */
  readonly idempotency?: Idempotency | undefined;
}

/**
 * Creates a token for a developer. Only the returned object contains its raw value.
 *
 * @throws ServiceError `validation_failed` for an expiry that is past or further away than the stage allows, or a project that is not
 *   the owner's; `token_limit_reached`; `too_many_creations`; `invalid_grant` if the grant is spent already; `idempotency_result_gone`
 */
export async function createToken(
  owner: Account,
  request: TokenRequest,
  now: Date,
  { grant, idempotency }: TokenCreation = {},
): Promise<{ token: Token; rawToken: RawToken }> {
  assertMayCreate(owner, now);
  const rawToken = RawToken.generate(owner.key);
  const token = newToken(owner, rawToken, request, now);
  const endedIds = await endedIdsWithRoom(owner, idempotency, now);
  const refused = await insertToken({ owner, token, endedIds, now, grant, idempotency });
  if (refused === undefined) {
    count("TokensCreated", {});
    return { token, rawToken };
  }
  if (refused === "grant_spent") throw new ServiceError("invalid_grant");
  const place = { pointer: `/projects/${refused.notOwned}`, detail: "is not a project of yours" };
  throw new ServiceError("validation_failed", { errors: [place] });
}

/** Options for replacing a token. */
export interface RotationRequest {
  readonly overlapHours: number;
  readonly expiresInDays: number | undefined;
}

/**
 * Creates a token with the name, scopes and projects of another one, which expires after the overlap, or before if it
 * expires before. Unless the request says otherwise, the new one expires when the old one would have without a replacement, or at the stage's limit.
 * Only the returned object contains the raw value.
 *
 * @throws ServiceError `validation_failed` for a lifetime above the stage's limit; `token_not_found`; `token_not_active` for a
 *   revoked or expired token; `token_limit_reached`; `too_many_creations`; `idempotency_result_gone`
 */
export async function rotateToken(
  owner: Account,
  tokenId: string,
  { overlapHours, expiresInDays }: RotationRequest,
  now: Date,
  idempotency?: Idempotency,
): Promise<{ token: Token; rawToken: RawToken; replaced: Token }> {
  const end = now.getTime() + overlapHours * 3_600_000;
  const old = replaceable(await readToken(owner.key, tokenId), now);
  assertMayCreate(owner, now);
  const oldExpiry = Date.parse(old.originalExpiresAt ?? old.expiresAt);
  const latest = daysAfter(now, environment.maxTokenDays()).getTime();
  const expiresAt = expiresInDays === undefined ? new Date(Math.min(oldExpiry, latest)) : undefined;
  const rawToken = RawToken.generate(owner.key);
  const made = newToken(owner, rawToken, { ...old, expiresAt, expiresInDays }, now);
  const token = { ...made, lineage: lineageOf(old) };
  const endsAt = new Date(Math.min(Date.parse(old.expiresAt), end)).toISOString();
  const endedIds = await endedIdsWithRoom(owner, idempotency, now);
  await insertReplacement({ owner, token, endedIds, now, idempotency }, { token: old, endsAt });
  count("TokensCreated", {});
  return { token, rawToken, replaced: { ...old, expiresAt: endsAt } };
}

/** A CI job gets its next token for its next identity token. */
function replaceable(token: Token | undefined, now: Date): Token {
  if (token === undefined || token.job) throw new ServiceError("token_not_found");
  if (tokenStatus(token, now) !== "active") throw new ServiceError("token_not_active");
  return token;
}

function newToken(owner: Account, rawToken: RawToken, request: TokenRequest, now: Date): Token {
  const { hash } = rawToken;
  return {
    id: tokenIdOf(hash),
    accountKey: owner.key,
    hash: hash.toString("base64"),
    name: request.name,
    scopes: request.scopes,
    projects: request.projects,
    hint: rawToken.hint,
    createdAt: now.toISOString(),
    expiresAt: expiryOf(request, now).toISOString(),
  };
}

function expiryOf({ expiresAt, expiresInDays }: TokenRequest, now: Date): Date {
  if (expiresAt === undefined) return daysAfter(now, lifetimeDays(expiresInDays));
  const maxDays = environment.maxTokenDays();
  if (expiresAt > now && expiresAt <= daysAfter(now, maxDays)) return expiresAt;
  const detail = `must be in the future and at most ${maxDays} days away`;
  throw new ServiceError("validation_failed", { errors: [{ pointer: "/expires_at", detail }] });
}

/**
 * The lifetime of a new token in days: as asked for, else the API's usual one or the stage's limit if that is shorter.
 *
 * @throws ServiceError `validation_failed` above the stage's limit
 */
export function lifetimeDays(asked: number | undefined): number {
  const maxDays = environment.maxTokenDays();
  if (asked === undefined) return Math.min(limits.defaultTokenLifetimeDays, maxDays);
  if (asked <= maxDays) return asked;
  const place = { pointer: "/expires_in_days", detail: `must be at most ${maxDays}` };
  throw new ServiceError("validation_failed", { errors: [place] });
}

function daysAfter(time: Date, days: number): Date {
  return new Date(time.getTime() + days * dayMilliseconds);
}

/** The ids of expired tokens that still take a place among the account's active tokens. */
function expiredIds({ activeTokens }: Pick<Account, "activeTokens">, now: Date): string[] {
  const expired = Object.entries(activeTokens).filter(([, expiresAt]) => expiresAt <= now.toISOString());
  return expired.map(([id]) => id);
}

/**
 * The ids that make room among the account's active tokens: those of expired ones, and that of the token of an earlier request with
 * the same idempotency key.
 *
 * @throws ServiceError `token_limit_reached` if the account has no room for a token, also without these;
 *   `idempotency_result_gone`
 */
async function endedIdsWithRoom(account: Account, idempotency: Idempotency | undefined, now: Date): Promise<string[]> {
  const unreceived = idempotency?.earlier?.created;
  if (unreceived !== undefined) await assertUnreceived(account, unreceived, now);
  const inactive = expiredIds(account, now).concat(unreceived ?? []);
  const active = Object.keys(account.activeTokens).length - inactive.length;
  if (active >= limits.activeTokensPerAccount) throw new ServiceError("token_limit_reached");
  return inactive;
}

/** A token that was used was received, and one that was revoked or has expired was seen. Nobody else may be cut off by a repeated request. */
async function assertUnreceived({ key }: Account, id: string, now: Date): Promise<void> {
  const token = await readToken(key, id);
  if (token && tokenStatus(token, now) === "active" && token.lastUsedAt === undefined) return;
  const detail = `An earlier request with this Idempotency-Key created the token ${id}, which was used, revoked or has expired since then. Its raw value is never returned again. To create another token, send another key.`;
  throw new ServiceError("idempotency_result_gone", { detail });
}

/** Tokens that a list has: the active ones, those that were revoked or have expired, or (undefined) all. */
export type ListedTokens = "active" | "inactive" | undefined;

/**
 * One page of an account's tokens. Pages follow the ids; within a page the newest is first. A page of active or inactive ones has fewer
 * than asked for if others are between them.
 *
 * @throws ServiceError `invalid_cursor`
 */
export async function listTokens(
  owner: Account,
  page: Page & { readonly status?: ListedTokens },
  now: Date,
): Promise<{ tokens: Token[]; nextCursor: string | null }> {
  const { status } = page;
  const list = `${status === undefined ? "" : `${status} `}tokens of ${owner.key}`;
  const slice = sliceOf(page, list);
  const { items, last } = await (status === "active" ? readActive(owner, slice) : readTokens(owner.key, slice));
  const isListed = (token: Token) =>
    !token.job && (status === undefined || (tokenStatus(token, now) === "active") === (status === "active"));
  const tokens = items.filter(isListed).sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  return { tokens, nextCursor: cursorAfter(last, list) };
}

/** The account names its active tokens, and some that have expired, however many others are stored beside them. */
async function readActive({ key, activeTokens }: Account, slice: Slice) {
  const { items, last } = sliceOfAll(Object.keys(activeTokens), slice);
  return { items: await readTokensById(items.map((id) => ({ accountKey: key, id }))), last };
}

/**
 * Revokes a token of an account, after which the next request with it is refused. A revoked token stays as it is.
 *
 * @throws ServiceError `token_not_found`
 */
export async function revokeToken(owner: Account, tokenId: string, now: Date): Promise<void> {
  const { key: accountKey, activeTokens } = owner;
  // Own members alone: the path may say __proto__.
  const expiresAt = Object.hasOwn(activeTokens, tokenId) ? activeTokens[tokenId] : undefined;
  const missing = await markTokenRevoked({ accountKey, id: tokenId, expiresAt }, now);
  if (missing === "no_token") throw new ServiceError("token_not_found");
  if (missing === "no_account") throw new ConflictError();
}

/** Ends the token that a request is sent with. */
export async function revokeCurrentToken(owner: Account, token: Token, now: Date): Promise<void> {
  if (token.job) await markJobTokenEnded(token, now);
  else await revokeToken(owner, token.id, now);
}

/** Revocations in one transaction, its maximum. */
const revocationsAtOnce = 24;
const maximumAttempts = 10;

/**
 * Revokes every token of an account that is neither revoked nor expired, those too that are created meanwhile, and ends
 * approvals that were not exchanged yet.
 *
 * @returns how many this call revoked
 */
export async function revokeAllTokens(owner: Account, now: Date): Promise<number> {
  let revoked = 0;
  let { activeTokens } = owner;
  for (let attempt = 0; attempt < maximumAttempts; attempt += 1) {
    // DynamoDB may have deleted the item of an expired token.
    const expired = new Set(expiredIds({ activeTokens }, now));
    const all = Object.entries(activeTokens);
    const active = all.filter(([id]) => !expired.has(id));
    const first = active.slice(0, revocationsAtOnce);
    if (await markTokensRevoked(owner.key, { active: first, activeCount: all.length }, now)) {
      revoked += first.length;
      if (first.length === active.length) return revoked;
    }
    activeTokens = await readActiveTokens(owner.key);
  }
  throw new ServiceError("temporarily_unavailable");
}

async function readActiveTokens(accountKey: string): Promise<Account["activeTokens"]> {
  const account = await readAccount(accountKey);
  if (account === undefined) throw new ConflictError();
  return account.activeTokens;
}

/** A token with what its owner should know before revoking it. */
export interface TokenInUse {
  readonly token: Token;
  /** The slugs of the projects that it can act on. */
  readonly reach: readonly string[];
  readonly activity: readonly AccountEvent[];
  readonly isActivityComplete: boolean;
}

/**
 * A token of an account, with what it did and what it can act on.
 *
 * @throws ServiceError `token_not_found`
 */
export async function findTokenInUse(owner: Account, tokenId: string): Promise<TokenInUse> {
  const [token, { items: slugs }, { events, isComplete }] = await Promise.all([
    readToken(owner.key, tokenId),
    readProjectSlugs(owner.key, { limit: limits.projectsPerAccount }),
    readTokenEvents(owner.key, tokenId, limits.tokenActivityListed),
  ]);
  if (token === undefined) throw new ServiceError("token_not_found");
  const reach = slugs.filter((slug) => token.projects?.includes(slug) ?? true);
  return { token, reach, activity: events, isActivityComplete: isComplete };
}

/** Records the use of a token: at most once an hour, and if it comes from a network that the token was not used from. */
export async function noteTokenUse(token: Token, by: Client, now: Date): Promise<void> {
  // Its exchange is an event already, and runners have new networks every time.
  if (token.job) return;
  const lastUsed = token.lastUsedAt === undefined ? 0 : Date.parse(token.lastUsedAt);
  const isOld = now.getTime() - lastUsed >= limits.lastUsedIntervalSeconds * 1_000;
  const isNew = isNewNetwork(token, by.network);
  if (isOld || isNew) await recordTokenUse(token, by, isNew, now);
}

/** Networks are recorded up to a limit: one more network tells nothing about a token that is used from many. */
function isNewNetwork({ networks = [] }: Token, network: string | null): boolean {
  return network !== null && !networks.includes(network) && networks.length < limits.networksPerToken;
}

/** When a token expires, if that is within a week and somebody has to replace it. */
export function expiryWarning(token: Token, now: Date): string | undefined {
  if (token.job) return undefined;
  const left = Date.parse(token.expiresAt) - now.getTime();
  return left <= limits.tokenExpiryWarningDays * dayMilliseconds ? token.expiresAt : undefined;
}

/** The status of a token at a time. A revoked token stays revoked after its expiry. */
export function tokenStatus(token: Token, now: Date): "active" | "revoked" | "expired" {
  if (token.revokedAt !== undefined) return "revoked";
  return token.expiresAt <= now.toISOString() ? "expired" : "active";
}
