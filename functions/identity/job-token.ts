import { JwtExpiredError } from "aws-jwt-verify/error";
import { decomposeUnverifiedJwt, validateJwtFields } from "aws-jwt-verify/jwt";
import type { JwtPayload } from "aws-jwt-verify/jwt-model";
import { limits } from "../../contract/api/limits.ts";
import type { JobProvider } from "../../contract/api/projects/ci-jobs.ts";
import { ServiceError } from "../domain/service-error.ts";
import type { JobIdentity } from "../entities/publisher.ts";
import * as environment from "../environment.ts";
import { isText } from "./identity.ts";
import { reasonOf } from "./refusals.ts";
import { assertSignature } from "./signature.ts";
import { KeysUnavailableError, keysUrlOf, SigningKeys } from "./signing-keys.ts";
import { assertAll, assertHeader, graceSeconds, isFuture, type Rule, TokenRefusal } from "./token-rules.ts";

/** Keys that a warm function keeps, by issuer, so that one that cannot be reached does not delay the others: only of issuers that the stage knows. */
const keysByIssuer = new Map<string, SigningKeys>();

function keysOf(issuer: string): SigningKeys {
  const keys = keysByIssuer.get(issuer) ?? new SigningKeys(() => keysUrlOf(issuer));
  keysByIssuer.set(issuer, keys);
  return keys;
}

/** Longer than any provider needs: GitHub's tokens live minutes, GitLab's as long as a job may take. */
const longestLifetimeSeconds = 86_400;

const rules: readonly Rule<JwtPayload>[] = [
  ["exp: missing", ({ exp }) => exp === undefined],
  ["iat: missing", ({ iat }) => iat === undefined],
  ["iat: in the future", ({ iat }) => isFuture(iat)],
  ["exp: longer than a day after iat", ({ exp = 0, iat = 0 }) => !(exp - iat <= longestLifetimeSeconds)],
  // Somebody else who may have the token could exchange it here.
  ["aud: has others beside this service", ({ aud }) => [aud].flat().length !== 1],
  ["jti: missing", ({ jti }) => !isText(jti, limits.claimLength) || jti === ""],
];

/**
 * Verifies the identity token of a CI job: signed by a key of an issuer that the stage knows, for this service alone, not
 * expired and not from the future.
 *
 * @param audience the API's origin, which no other stage has
 * @throws ServiceError `invalid_request`, whose detail and `reason` name the claim and never its value;
 *   `identity_provider_unavailable` if the issuer's keys cannot be fetched
 */
export async function verifyJobToken(jwt: string, audience: string): Promise<JobIdentity> {
  try {
    const decomposed = decomposeUnverifiedJwt(jwt);
    const { header, payload: claims } = decomposed;
    assertHeader(header);
    if (header.alg !== "RS256") throw new TokenRefusal("alg: unknown, or not that of the key");
    const provider = providerOf(claims.iss);
    if (provider === undefined) throw new TokenRefusal("iss: no issuer of CI jobs that this service knows");
    const issuer = claims.iss as string;
    assertSignature(decomposed, await keysOf(issuer).keysFor(header));
    validateJwtFields(claims, { issuer, audience, graceSeconds });
    assertAll(rules, claims);
    return { provider, issuer, id: claims.jti as string, expiresAt: claims.exp as number, claims };
  } catch (error) {
    throw refusalFor(error, audience);
  }
}

function providerOf(issuer: unknown): JobProvider | undefined {
  const providers = Object.entries(environment.jobIssuers()) as [JobProvider, readonly unknown[]][];
  return providers.find(([, issuers]) => issuers.includes(issuer))?.[0];
}

function refusalFor(error: unknown, audience: string): unknown {
  if (error instanceof KeysUnavailableError) return new ServiceError("identity_provider_unavailable", { cause: error });
  const reason = error instanceof JwtExpiredError ? "exp: in the past" : reasonOf(error);
  if (reason === undefined) return error;
  const said = reason.startsWith("aud") ? `aud: must be ${audience} alone` : reason;
  return new ServiceError("invalid_request", { reason, detail: `The job's identity token is refused: ${said}.` });
}
