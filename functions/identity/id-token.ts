import { createPublicKey, verify } from "node:crypto";
import { JwtExpiredError } from "aws-jwt-verify/error";
import type { Jwk } from "aws-jwt-verify/jwk";
import { type DecomposedJwt, decomposeUnverifiedJwt, validateJwtFields } from "aws-jwt-verify/jwt";
import type { JwtHeader, JwtPayload } from "aws-jwt-verify/jwt-model";
import { JwtVerifier } from "aws-jwt-verify/jwt-verifier";
import { ServiceError } from "../domain/service-error.ts";
import type { Identity } from "../entities/account.ts";
import * as environment from "../environment.ts";
import { assertClaims } from "./id-token-rules.ts";
import { identityOf } from "./identity.ts";
import { areKeysUnavailable, reasonOf } from "./refusals.ts";
import { assertKeysUrlIsSafe, signingKeys } from "./signing-keys.ts";
import { assertHeader, graceSeconds, TokenRefusal } from "./token-rules.ts";

environment.refuseEmulatorOutsideLocalStage();

let verifier: { verify(jwt: string): Promise<JwtPayload> } | undefined;
const jwksCache = signingKeys();

/** The verifier that a warm function keeps. */
function jwtVerifier() {
  verifier ??= JwtVerifier.create(
    { ...expected(), jwksUri: environment.idpJwksUri(), customJwtCheck: ({ payload }) => assertClaims(payload) },
    { jwksCache },
  );
  return verifier;
}

function expected() {
  return { issuer: environment.idpIssuer(), audience: environment.idpAudience(), graceSeconds };
}

/**
 * Verifies an ID token: signed by one of the provider's published keys, issued by it for this service, not expired, not
 * from the future (OpenID Connect Core, section 3.1.3.7), and no other kind of token. docs/local.md lists the rules. With
 * IDP_AUTH_EMULATOR_HOST set, an unsigned one passes when all its claims do.
 *
 * @throws ServiceError `id_token_expired`; `id_token_invalid`, whose `reason` names the claim; `identity_provider_unavailable`
 *   if the provider's keys cannot be fetched
 */
export async function verifyIdToken(idToken: string): Promise<Identity> {
  try {
    const decomposed = decompose(idToken);
    const { header, payload } = decomposed;
    assertHeader(header);
    // The library keeps keys for each issuer that a token names, before it compares the issuer.
    if (payload.iss !== environment.idpIssuer()) throw new TokenRefusal("iss: not IDP_ISSUER");
    if (!isUnsigned(idToken, header)) {
      assertKeysUrlIsSafe(environment.idpJwksUri());
      if (header.alg !== "Ed25519") return identityOf(await jwtVerifier().verify(idToken));
      assertEd25519Signature(decomposed, await jwksCache.getJwk(environment.idpJwksUri(), decomposed));
    }
    validateJwtFields(payload, expected());
    assertClaims(payload);
    return identityOf(payload);
  } catch (error) {
    throw refusalFor(error);
  }
}

/** The name of RFC 9864, section 2.2; the library knows only its older name EdDSA. */
function assertEd25519Signature({ headerB64, payloadB64, signatureB64 }: DecomposedJwt, jwk: Jwk): void {
  const { kty, crv, use = "sig", alg = "Ed25519" } = jwk;
  if (kty !== "OKP" || crv !== "Ed25519" || use !== "sig" || alg !== "Ed25519")
    throw new TokenRefusal("alg: unknown, or not that of the key");
  const key = createPublicKey({ key: jwk, format: "jwk" });
  const signed = Buffer.from(`${headerB64}.${payloadB64}`);
  if (!verify(null, signed, key, Buffer.from(signatureB64, "base64url")))
    throw new TokenRefusal("signature: not of the key that kid names");
}

/** The library requires a signature; an emulator's token has none. */
function decompose(idToken: string) {
  return decomposeUnverifiedJwt(idToken.endsWith(".") ? `${idToken}none` : idToken);
}

function isUnsigned(idToken: string, header: JwtHeader): boolean {
  return environment.idpAuthEmulatorHost() !== undefined && header.alg === "none" && idToken.endsWith(".");
}

function refusalFor(error: unknown): unknown {
  if (error instanceof JwtExpiredError) return new ServiceError("id_token_expired");
  if (areKeysUnavailable(error)) return new ServiceError("identity_provider_unavailable", { cause: error });
  const reason = reasonOf(error);
  return reason === undefined ? error : new ServiceError("id_token_invalid", { reason });
}
