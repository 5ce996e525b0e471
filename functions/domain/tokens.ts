import { ServiceError } from "../../contract/errors.ts";
import { limits } from "../../contract/limits.ts";
import type { Scope } from "../../contract/route.ts";
import { type Account, readAccount } from "../table/accounts.ts";
import { tokenIdOf } from "../table/keys.ts";
import { recordTokenUse, createToken as storeToken, type Token } from "../table/tokens.ts";
import { RawToken } from "./raw-token.ts";

export { listTokens, revokeToken, type Token } from "../table/tokens.ts";

const dayMilliseconds = 86_400_000;
const maximumAttempts = 10;

/** What a developer asks a new token to be. */
export interface TokenRequest {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly projects: readonly string[] | null;
  readonly expiresAt: Date | undefined;
  readonly expiresInDays: number | undefined;
}

/**
 * Creates a token for a developer. Its raw value is in what this returns and nowhere else.
 *
 * @throws ServiceError `validation_failed` for an expiry that is past or more than 365 days away, or a project that is not
 *   the owner's; `token_limit_reached`
 */
export async function createToken(
  owner: Account,
  request: TokenRequest,
  now: Date,
): Promise<{ token: Token; rawToken: RawToken }> {
  const rawToken = RawToken.generate(owner.key);
  const token = newToken(owner, rawToken, request, now);
  let account: Account | undefined = owner;
  for (let attempt = 0; attempt < maximumAttempts; attempt += 1) {
    if (await storeToken(account, token, now)) return { token, rawToken };
    account = await readAccount(owner.key);
    if (account === undefined) throw new ServiceError("account_required");
  }
  throw new ServiceError("temporarily_unavailable");
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

function expiryOf({ expiresAt, expiresInDays = limits.defaultTokenLifetimeDays }: TokenRequest, now: Date): Date {
  if (expiresAt === undefined) return new Date(now.getTime() + expiresInDays * dayMilliseconds);
  const latest = now.getTime() + limits.tokenLifetimeDays * dayMilliseconds;
  if (expiresAt.getTime() > now.getTime() && expiresAt.getTime() <= latest) return expiresAt;
  const detail = `must be in the future and at most ${limits.tokenLifetimeDays} days away`;
  throw new ServiceError("validation_failed", { errors: [{ pointer: "/expires_at", detail }] });
}

/** Notes the use of a token, at most once an hour. */
export async function noteTokenUse(token: Token, now: Date): Promise<void> {
  const lastUsed = token.lastUsedAt === undefined ? 0 : Date.parse(token.lastUsedAt);
  if (now.getTime() - lastUsed >= limits.lastUsedIntervalSeconds * 1_000) await recordTokenUse(token, now);
}

/** When a token expires, where that is near enough to warn its user. */
export function expiryWarning(token: Token, now: Date): string | undefined {
  const left = Date.parse(token.expiresAt) - now.getTime();
  return left <= limits.tokenExpiryWarningDays * dayMilliseconds ? token.expiresAt : undefined;
}

/** The state of a token at a time; a revoked one stays revoked when its time is over. */
export function tokenStatus(token: Token, now: Date): "active" | "revoked" | "expired" {
  if (token.revokedAt !== undefined) return "revoked";
  return token.expiresAt <= now.toISOString() ? "expired" : "active";
}
