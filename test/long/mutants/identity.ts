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
    ["tenantOf(firebase) !== environment.idpTenant()", "false"],
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
    ["audience: environment.idpAudience(),\n      jwksUri", "audience: null,\n      jwksUri"],
    ["customJwtCheck: ({ payload }) => assertClaims(payload),", ""],
    ["    assertClaims(payload);\n    return", "    return"],
    ["environment.idpAuthEmulatorHost() !== undefined && header", "header"],
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
    ["AbortSignal.timeout(attemptMilliseconds)", "AbortSignal.timeout(60_000)"],
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
  ...mutantsOf("functions/domain/authentication.ts", "test/long/faults/races/revocation", [
    ["  if (refusal) throw refusal;\n}", "}", "upload URLs"],
  ]),
  ...mutantsOf("functions/domain/authorization.ts", "test/api/tokens/tokens", [
    ['if (route.credential === "idToken" && token !== undefined)', "if (false)", "is refused to"],
    ['role === "dev" && account.role !== "dev"', "false", "is refused to"],
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
    ['if (account.suspension && suspended !== "allowed")', "if (false)"],
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
  ...mutantsOf("functions/domain/login/authorization-codes.ts", "test/api/oauth/oauth-clients", [
    ["issued.redirectUri !== redirectUri || ", "", "another redirect URI"],
    [" || issued.codeChallenge !== challenge", "", "verifier"],
    ["if (issued.tokenId !== undefined) await revokeToken(owner, issued.tokenId, now);", "", "second exchange"],
    [" || isExpired(issued, now)", "", "two minutes"],
  ]),
  ...mutantsOf("functions/domain/login/authorization-codes.ts", "test/api/oauth/grants", [
    ["owner === undefined || owner.createdAt > approvedAt", "owner === undefined", "deleted"],
    [
      "  if (owner === undefined || owner.createdAt > approvedAt)",
      "  if (owner !== undefined && owner.createdAt > approvedAt)",
      "deleted",
    ],
  ]),
  ...mutantsOf("functions/table/tokens/tokens.ts", "test/api/oauth/grants", [["...approval, ", "", "once all tokens"]]),
  ...mutantsOf("functions/table/accounts/suspensions.ts", "test/api/oauth/grants", [
    [" ADD approvalEpoch :one", "", "suspended"],
  ]),
  ...mutantsOf("functions/domain/tokens/tokens.ts", "test/api/oauth/grants", [
    ["if (isDone && ids", "if (ids", "there are none"],
  ]),
  ...mutantsOf("functions/domain/login/authorization-requests.ts", "test/api/oauth/forms", [
    ["known.length !== asked.size || ", "", "asks for the scope"],
    [" || known.length === 0", "", "asks for the scope"],
  ]),
  ...mutantsOf("functions/http/serve-form.ts", "test/api/oauth/forms", [
    ["!== oauthClientId) throw", "=== null) throw", "another by client_id"],
    ["field === undefined || field === named", "true", "another by client_id"],
    ["bytes.byteLength > limits.formBytes", "bytes.byteLength > limits.jsonBodyBytes", "16 KiB"],
    ["values.length > 1", "values.length > 9", "twice"],
  ]),
  ...mutantsOf("functions/http/serve-form.ts", "test/api/oauth/grants", [
    ["headers: { ...result.headers, ...notCached }", "headers: { ...result.headers }", "no cache"],
  ]),
  ...mutantsOf("functions/domain/login/device-requests.ts", "test/api/oauth/oauth-clients", [
    ["  await limitGuesses(account, now);\n  const request", "  const request", "guessing"],
    ["  await limitGuesses(account, now);\n  const approved", "  const approved", "guessing"],
    ["|| isExpired(request, now) || request.approved", "|| request.approved", "ten minutes"],
    [" || request.approved !== undefined)\n    throw", ")\n    throw", "approved is not|one account"],
    ["!isCodeOf(request, deviceCode) || ", "", "user code alone"],
    ['if (isExpired(request, now)) throw new ServiceError("expired_token");', "", "ten minutes"],
    ['if (approved === null) throw new ServiceError("access_denied");', "", "denied"],
    ['isEarly ? "slow_down" : ', "", "too early"],
  ]),
  ...mutantsOf("functions/domain/login/device-requests.ts", "test/api/oauth/grants", [
    ["intervalSeconds + (isEarly ? 5 : 0)", "intervalSeconds", "too early"],
  ]),
  ...mutantsOf("functions/table/login/grants.ts", "test/api/oauth/oauth-clients", [
    [
      "attribute_not_exists(approved) AND #ttl > :now",
      "(attribute_exists(PK) OR attribute_not_exists(approved)) AND #ttl > :now",
      "denied|one account",
    ],
    [
      "attribute_not_exists(approved) AND #ttl > :now",
      "attribute_not_exists(approved) AND (attribute_exists(PK) OR #ttl > :now)",
      "ten minutes",
    ],
    ["attribute_not_exists(#count) OR #count < :limit", "attribute_not_exists(#count) OR #count <= :limit", "guessing"],
  ]),
  ...mutantsOf("functions/table/login/grants.ts", "test/api/oauth/grants", [
    [
      "attribute_not_exists(PK) OR #ttl <= :now",
      "attribute_not_exists(PK) OR attribute_exists(PK) OR #ttl <= :now",
      "same user code",
    ],
    [
      "attribute_not_exists(PK) OR #ttl <= :now",
      "attribute_not_exists(PK) OR (attribute_not_exists(PK) AND #ttl <= :now)",
      "same user code",
    ],
  ]),
  ...mutantsOf("functions/table/tokens/tokens.ts", "test/api/oauth/oauth-clients", [
    ["(token.projects ?? []).map((slug)", "([] as string[]).map((slug)", "another developer's project"],
  ]),
  ...mutantsOf("functions/table/tokens/tokens.ts", "test/api/accounts/deletion", [
    [
      "#role = :dev AND attribute_not_exists(suspension)",
      "(attribute_exists(PK) OR #role = :dev) AND attribute_not_exists(suspension)",
      "gives no token",
    ],
  ]),
  ...mutantsOf("functions/table/projects/projects.ts", "test/api/accounts/deletion", [
    ["#role = :dev AND projectCount", "(attribute_exists(PK) OR #role = :dev) AND projectCount", "gives no project"],
  ]),
  ...mutantsOf("functions/table/tokens/tokens.ts", "test/long/security/suspended", [
    ["#role = :dev AND attribute_not_exists(suspension)", "#role = :dev", "creates no token"],
  ]),
  ...mutantsOf("functions/domain/tokens/tokens.ts", "test/api/tokens/tokens", [
    ["expiresAt.getTime() > now.getTime() && ", ""],
    [" && expiresAt.getTime() <= latest", ""],
  ]),
  ...mutantsOf("functions/domain/tokens/disclosures.ts", "test/api/tokens/disclosures", [
    ["    if (!disclosure?.rawToken.matches(token.hash)) continue;\n", "", "stored hash"],
  ]),
  ...mutantsOf("functions/http/disclosure.ts", "test/api/tokens/disclosures", [
    ['  if (verdict === false) throw new ServiceError("signature_invalid");\n', "", "is refused with"],
    ["foundAt.safeParse(url).data", "url ?? undefined", "not a URL"],
  ]),
  ...mutantsOf("functions/identity/github-signature.ts", "test/api/tokens/disclosures", [
    [' && verify("sha256", body, key, Buffer.from(signature, "base64"))', "", "is refused with"],
    ["return key !== undefined && verify", "return key === undefined || verify", "does not name"],
    ["Date.now() - kept.fetchedAt < keptMilliseconds", "false", "fetch no keys again"],
  ]),
  // Whose things a request may see
  ...mutantsOf("functions/domain/accounts/export.ts", "test/api/accounts/export", [
    ["if (project?.ownerKey !== key)", "if (project === undefined)", "foreign cursors|nothing of other"],
  ]),
  ...mutantsOf("functions/domain/projects/projects.ts", "test/api/projects/transfer", [
    ["ownerKey === key && (deletedAt", "(deletedAt", "moves the project"],
  ]),
  ...mutantsOf("functions/domain/projects/projects.ts", "test/api/projects/project-creation", [
    ["if (token?.projects && !token.projects.includes(slug))", "if (false)"],
  ]),
  ...mutantsOf("functions/domain/accounts/accounts.ts", "test/long/security/suspended", [
    ["account === undefined || account.suspension", "account === undefined", "public profile"],
  ]),
  // Sign-ins that must be recent
  ...mutantsOf("functions/domain/authorization.ts", "test/api/accounts/deletion", [
    ['demand === "always" ? usualSignInSeconds : undefined', "undefined", "ten minutes"],
    ["  if (authTime === null && idpSignInSeconds === undefined) return;\n", "", "ten minutes"],
  ]),
  ...mutantsOf("contract/tokens.ts", "test/api/tokens/recent-sign-in", [
    ["recentSignIn: true,\n  body", "body"],
    ["recentSignIn: true,\n  params", "params"],
  ]),
  ...mutantsOf("contract/oauth.ts", "test/api/tokens/recent-sign-in", [
    ["recentSignIn: true,\n  body", "body"],
    ["recentSignIn: true,\n  params", "params"],
  ]),
  ...mutantsOf("contract/projects.ts", "test/api/tokens/recent-sign-in", [
    [
      'recentSignIn: true,\n  project: "owner",\n  params: slugParams,\n  responses',
      'project: "owner",\n  params: slugParams,\n  responses',
    ],
    [
      'recentSignIn: true,\n  project: "owner",\n  params: slugParams,\n  body',
      'project: "owner",\n  params: slugParams,\n  body',
    ],
  ]),
];
