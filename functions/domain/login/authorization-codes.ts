import { createHash, randomBytes } from "node:crypto";
import { limits } from "../../../contract/api/limits.ts";
import { retryOnConflict } from "../../conflict.ts";
import type { Account } from "../../entities/account.ts";
import type { ApprovedToken, AuthorizationCode, DeviceRequest } from "../../entities/grant.ts";
import type { Token } from "../../entities/token.ts";
import { readAccount } from "../../table/accounts/account-items.ts";
import { grantKey, type Key, keys } from "../../table/keys.ts";
import { insertAuthorizationCode, readAuthorizationCode } from "../../table/login/grants.ts";
import { authorizeAccount } from "../authorization.ts";
import { ServiceError } from "../service-error.ts";
import type { RawToken } from "../tokens/raw-token.ts";
import { createToken, lifetimeDays, revokeToken } from "../tokens/tokens.ts";

/** Approval of a command line's token: what a person decides about it. */
export type Approval = Omit<ApprovedToken, "accountKey" | "approvedAt" | "approvalEpoch">;

/** A token that was exchanged for a grant. */
export interface IssuedToken {
  readonly token: Token;
  readonly rawToken: RawToken;
}

/**
 * Issues an authorization code for what a developer approves, valid once and for two minutes. Only its digest is stored.
 *
 * @throws ServiceError `validation_failed` for a lifetime above the stage's limit
 */
export async function approveAuthorization(
  owner: Account,
  request: Pick<AuthorizationCode, "redirectUri" | "codeChallenge"> & { readonly approval: Approval },
  now: Date,
): Promise<string> {
  const { redirectUri, codeChallenge, approval } = request;
  const code = randomBytes(32).toString("base64url");
  await insertAuthorizationCode(grantKey(code), {
    redirectUri,
    codeChallenge,
    approved: approvedBy(owner, approval, now),
    ttl: Math.floor(now.getTime() / 1_000) + limits.authorizationCodeLifetimeSeconds,
  });
  return code;
}

/**
 * Approval as a grant stores it.
 *
 * @throws ServiceError `validation_failed` for a lifetime above the stage's limit
 */
export function approvedBy({ key, approvalEpoch = 0 }: Account, approval: Approval, now: Date): ApprovedToken {
  const expiresInDays = lifetimeDays(approval.expiresInDays);
  return { ...approval, accountKey: key, approvedAt: now.toISOString(), approvalEpoch, expiresInDays };
}

/** Exchange of a code: the code, and what the client presents with it. */
export interface CodeExchange {
  readonly code: string;
  readonly redirectUri: string;
  readonly verifier: string;
}

/**
 * Exchanges an authorization code for a token. A code that comes a second time has leaked together with its verifier, so
 * the token that it was exchanged for is revoked (RFC 6749, section 4.1.2).
 *
 * @throws ServiceError `invalid_grant` if code, redirect URI and verifier (RFC 7636, section 4.6) do not belong
 *   together or the code is expired or spent; those of {@link createApprovedToken}
 */
export async function exchangeCode({ code, redirectUri, verifier }: CodeExchange, now: Date): Promise<IssuedToken> {
  const key = grantKey(code);
  const issued = await readAuthorizationCode(key);
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  if (issued === undefined || issued.redirectUri !== redirectUri || issued.codeChallenge !== challenge)
    throw new ServiceError("invalid_grant");
  return await retryOnConflict(async () => {
    const owner = await ownerOf(issued.approved);
    if (issued.tokenId !== undefined) await revokeToken(owner, issued.tokenId, now);
    if (issued.spentAt !== undefined || isExpired(issued, now)) throw new ServiceError("invalid_grant");
    try {
      return await createApprovedToken(owner, issued.approved, keys.authorizationCode(key), now);
    } catch (error) {
      // Without DynamoDB's response nobody knows whether this exchange itself has spent the code.
      if (!(error instanceof ServiceError)) throw error;
      // If another exchange was faster, by microseconds too, the code came twice as well.
      const exchanged = await readAuthorizationCode(key);
      if (exchanged?.tokenId !== undefined) await revokeToken(owner, exchanged.tokenId, now);
      throw error;
    }
  });
}

/**
 * Issues what a person approved; the same transaction spends the grant.
 *
 * @throws ServiceError `invalid_grant` if all tokens were revoked since it was approved; those of {@link authorizeAccount}
 *   and {@link createToken}
 */
export async function createApprovedToken(
  owner: Account,
  approved: ApprovedToken,
  grant: Key<AuthorizationCode> | Key<DeviceRequest>,
  now: Date,
): Promise<IssuedToken> {
  authorizeAccount({ role: "dev" }, owner);
  const { approvalEpoch } = approved;
  if ((owner.approvalEpoch ?? 0) !== approvalEpoch) throw new ServiceError("invalid_grant");
  const request = { ...approved, expiresAt: undefined };
  return await createToken(owner, request, now, { grant: { key: grant, approvalEpoch } });
}

/** Whether a grant's time is over; DynamoDB deletes late. */
export function isExpired({ ttl }: AuthorizationCode | DeviceRequest, now: Date): boolean {
  return ttl * 1_000 <= now.getTime();
}

/**
 * The account that approved.
 *
 * @throws ServiceError `invalid_grant` if it is gone, even if the same person has another one since then
 */
export async function ownerOf({ accountKey, approvedAt }: ApprovedToken): Promise<Account> {
  const owner = await readAccount(accountKey);
  if (owner === undefined || owner.createdAt > approvedAt) throw new ServiceError("invalid_grant");
  return owner;
}
