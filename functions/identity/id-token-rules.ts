import type { JwtPayload } from "aws-jwt-verify/jwt-model";
import { limits } from "../../contract/api/limits.ts";
import * as environment from "../environment.ts";
import { isText } from "./identity.ts";
import { assertAll, isFuture, type Rule } from "./token-rules.ts";

/**
 * Claims of access tokens (RFC 9068; Entra: `appid`, `scp` and others; Auth0: `gty`) and of logout tokens and security
 * events (`events`, RFC 8417) that no ID token has. Some of those tokens have our audience and no type in their header
 * (docs/decisions/0053-trusted-publishers.md#tokens-that-are-not-id-tokens).
 */
const claimsOfOtherTokens = ["scope", "scp", "appid", "appidacr", "azpacr", "idtyp", "gty", "events"];

const claimRules: readonly Rule<JwtPayload>[] = [
  [
    `sub: missing, blank or longer than ${limits.uidLength} characters`,
    ({ sub }) => !isText(sub, limits.uidLength) || sub.trim() === "",
  ],
  ["exp: missing", ({ exp }) => exp === undefined],
  ["iat: missing", ({ iat }) => iat === undefined],
  ["iat: in the future", ({ iat = 0 }) => isFuture(iat)],
  [
    "exp: longer after iat than IDP_TOKEN_LIFETIME_HOURS",
    ({ exp = 0, iat = 0 }) => exp - iat > environment.idpTokenLifetimeSeconds(),
  ],
  ["auth_time: no number", ({ auth_time: time }) => time !== undefined && !Number.isFinite(time)],
  ["auth_time: in the future", ({ auth_time: time }) => isFuture(time)],
  // OpenID Connect Core, section 3.1.3.7, items 3 to 5
  ["aud: one beside ours is not in IDP_TRUSTED_AUDIENCES", ({ aud }) => !audiences(aud).every(isTrustedAudience)],
  ["azp: missing beside several audiences", ({ aud, azp }) => audiences(aud).length > 1 && azp === undefined],
  ["azp: not in IDP_AUTHORIZED_PARTIES", ({ azp }) => azp !== undefined && !isOurApplication(azp)],
  // Tenants of a Firebase project share issuer and audience, and can share a uid.
  ["firebase.tenant: not IDP_TENANT", ({ firebase }) => tenantOf(firebase) !== environment.idpTenant()],
];

/** Rules that detect another kind of token, at providers that sign several kinds. */
const kindRules: readonly Rule<JwtPayload>[] = [
  ["client_id: not in IDP_AUTHORIZED_PARTIES", ({ client_id: id }) => id !== undefined && !isOurApplication(id)],
  ["token_use: not id", ({ token_use: use }) => use !== undefined && use !== "id"],
  ["typ: not ID", ({ typ }) => typ !== undefined && typ !== "ID"],
  ...claimsOfOtherTokens.map(
    (claim): Rule<JwtPayload> => [`${claim}: other kinds of tokens have it`, (claims) => claims[claim] !== undefined],
  ),
];

/**
 * Firebase signs nothing but ID tokens with this issuer (session cookies have another one), and its reserved names leave `scope` and the like
 * to custom claims, so there they say nothing of the kind.
 */
const firebaseIssuer = "https://securetoken.google.com/";

/**
 * Checks what signature, `iss`, `aud`, `exp` and `nbf` alone do not show: that this is an ID token, for us, issued to us
 * and not from the future.
 *
 * @throws TokenRefusal
 */
export function assertClaims(claims: JwtPayload): void {
  assertAll(claimRules, claims);
  if (!claims.iss?.startsWith(firebaseIssuer)) assertAll(kindRules, claims);
}

function audiences(aud: JwtPayload["aud"]): readonly (string | undefined)[] {
  return [aud].flat();
}

function isTrustedAudience(audience: string | undefined): boolean {
  return [environment.idpAudience(), ...environment.idpTrustedAudiences()].includes(audience ?? "");
}

function isOurApplication(party: unknown): boolean {
  return [environment.idpAudience(), ...environment.idpAuthorizedParties()].includes(party as string);
}

function tenantOf(firebase: unknown): unknown {
  return (firebase as { tenant?: unknown } | null | undefined)?.tenant;
}
