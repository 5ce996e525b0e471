import { type Mutant, mutantsOf } from "./mutant.ts";

const idToken = "functions/identity/";

/** Who gets in: ID tokens, tokens and what they may do. */
export const identityMutants: readonly Mutant[] = [
  ...mutantsOf("functions/identity/id-token-rules.ts", idToken, [
    [' || typ.toUpperCase() !== "JWT"', ""],
    ['typeof typ !== "string" || ', ""],
    ["({ crit }) => crit !== undefined", "() => false"],
    ["!isText(sub, limits.uidLength) || ", ""],
    [' || sub.trim() === ""', ""],
    ["({ exp }) => exp === undefined", "() => false"],
    ["({ iat }) => iat === undefined", "() => false", "names the claim"],
    ["({ iat = 0 }) => isFuture(iat)", "() => false"],
    ["exp - iat > environment", "exp - iat > 99 * environment"],
    ["time !== undefined && !Number.isFinite(time)", "false"],
    ["({ auth_time: time }) => isFuture(time)", "() => false"],
    ["!audiences(aud).every(isTrustedAudience)", "false"],
    ["audiences(aud).length > 1 && azp === undefined", "false"],
    ["azp !== undefined && !isOurApplication(azp)", "false"],
    ["id !== undefined && !isOurApplication(id)", "false"],
    ["tenantOf(firebase) !== environment.idpTenant", "false"],
    ['use !== undefined && use !== "id"', "false"],
    ['typ !== undefined && typ !== "ID"', "false"],
    ['"scope", "scp",', '"scp",'],
    ['"scope", "scp",', '"scope",'],
    ['"appid", ', ""],
    ['"appidacr", ', ""],
    ['"azpacr", ', ""],
    ['"idtyp", ', ""],
    ['"gty", ', ""],
    [', "events"]', "]"],
    ["graceSeconds = 60", "graceSeconds = 600"],
  ]),
  ...mutantsOf("functions/identity/id-token.ts", idToken, [
    ["assertHeader(header);", ""],
    ["audience: environment.idpAudience,\n      jwksUri", "audience: null,\n      jwksUri"],
    ["customJwtCheck: ({ payload }) => assertClaims(payload),", ""],
    ["    assertClaims(payload);\n    return", "    return"],
    ["environment.idpAuthEmulatorHost !== undefined && header", "header"],
    ['header.alg === "none" && idToken', "idToken"],
    ["error instanceof JwtExpiredError", "false"],
    ["error instanceof KeysUnavailableError ||", ""],
    ["error instanceof RangeError || ", ""],
    ['/^ERR_(CRYPTO|OSSL)_/.test(code ?? "")', "false"],
  ]),
  ...mutantsOf("functions/identity/identity.ts", idToken, [
    [" || hasEmailForm(claim)", ""],
    [' || claims["email_verified"] === "true"', ""],
    ['claims["email_verified"] === true ||', ""],
    ['.protocol === "https:"', '.protocol !== ""'],
    [" && claim.isWellFormed()", ""],
  ]),
  ...mutantsOf("functions/identity/signing-keys.ts", idToken, [
    ["if (response.statusCode !== 200) {", "if (response.statusCode === 500) {"],
    ["if (bytes > maximumBytes)", "if (bytes > 99 * maximumBytes)"],
    ["if (bytes > maximumBytes)", "if (bytes >= maximumBytes)"],
    ["AbortSignal.timeout(connectAndAnswerMilliseconds)", "AbortSignal.timeout(60_000)"],
    ["failures >= failuresBeforePause && ", "false && "],
    ['if (protocol !== "https:" && ', "if (false && "],
    ["unknownKeyPauseSeconds = 5", "unknownKeyPauseSeconds = 0"],
  ]),
  ...mutantsOf("functions/environment.ts", idToken, [
    ['process.env["SVC_STAGE"] !== "local"', "false", "deployed stage"],
    ["text === undefined || Number(text) > 0", "true", "longest lifetime"],
  ]),
  ...mutantsOf("contract/email-form.ts", idToken, [['text.normalize("NFKC")', "text"]]),
  ...mutantsOf("functions/table/keys.ts", "functions/table/keys", [
    ["JSON.stringify([issuer, uid])", "JSON.stringify([uid])"],
    ["JSON.stringify([issuer, uid])", "issuer + uid"],
  ]),
  ...mutantsOf("functions/domain/authentication.ts", "test/api/tokens/tokens", [
    ["if (!isOfConfiguredIssuer(account))", "if (false)", "issuer"],
    ["|| !rawToken.matches(token.hash)", "", "stored hash"],
    ["token.expiresAt <= now.toISOString()", "false", "expired"],
    ["  if (refusal) throw refusal;\n  return {", "  return {", "very next request"],
  ]),
  ...mutantsOf("functions/domain/authentication.ts", "test/api/tokens/revocation", [
    ["  if (refusal) throw refusal;\n}", "}", "upload URLs"],
  ]),
  ...mutantsOf("functions/domain/authorization.ts", "test/api/tokens/tokens", [
    ['if (route.credential === "idToken" && token !== undefined)', "if (false)", "is refused to"],
    ['route.role === "dev" && account.role !== "dev"', "false", "is refused to"],
  ]),
  ...mutantsOf("functions/domain/authorization.ts", "test/api/tokens/token-endings", [
    ['if (route.credential === "token" && token === undefined)', "if (false)", "ID token"],
  ]),
  ...mutantsOf("functions/domain/authorization.ts", "test/api/releases/release-refusals", [
    ["!token.scopes.includes(route.scope)", "false", "scope"],
    ['narrowed && !narrowed.includes(slug ?? "")', "false", "narrowed"],
    ["project?.ownerKey === account?.key", "project !== undefined", "other developers"],
  ]),
  ...mutantsOf("functions/domain/authorization.ts", "test/api/projects/deletion", [
    ['if (route.deletedProject !== "allowed") assertNotDeleted(project);', ""],
  ]),
  ...mutantsOf("functions/domain/authorization.ts", "test/api/projects/transfer", [
    ["transfer.toKey === account?.key && ", "", "to whom it is offered"],
    [" && transfer.expiresAt > now.toISOString()", "", "has expired"],
  ]),
  ...mutantsOf("functions/domain/authorization.ts", "test/long/security/suspended", [
    ['if (account.suspension && route.suspended !== "allowed")', "if (false)"],
    ['if (route.method !== "GET") assertNotSuspended(project);', ""],
  ]),
  ...mutantsOf("functions/domain/authorization.ts", "test/api/tokens/recent-sign-in", [
    ["authTime === null || ", "authTime !== null && "],
    ["if (route.recentSignIn) assertRecentSignIn(caller, route.recentSignIn, now);", ""],
  ]),
  ...mutantsOf("functions/http/credential.ts", "test/api/requests/requests", [
    ["/^bearer +", "/bearer +", "Authorization"],
    ["*$/i", "*/i", "Authorization"],
  ]),
  ...mutantsOf("functions/domain/authorization-codes.ts", "test/api/oauth/oauth-clients", [
    ["issued.redirectUri !== redirectUri || ", "", "another redirect URI"],
    [" || issued.codeChallenge !== challenge", "", "verifier"],
    ["if (issued.tokenId !== undefined) await revokeToken(owner, issued.tokenId, now);", "", "second exchange"],
    [" || isExpired(issued, now)", "", "two minutes"],
  ]),
];
