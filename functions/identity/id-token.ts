import { JwtExpiredError } from "aws-jwt-verify/error";
import { decomposeUnverifiedJwt, validateJwtFields } from "aws-jwt-verify/jwt";
import type { JwtHeader } from "aws-jwt-verify/jwt-model";
import { ServiceError } from "../domain/service-error.ts";
import type { Identity } from "../entities/account.ts";
import * as environment from "../environment.ts";
import { assertClaims } from "./id-token-rules.ts";
import { identityOf } from "./identity.ts";
import { reasonOf } from "./refusals.ts";
import { assertSignature } from "./signature.ts";
import { assertKeysUrlIsSafe, KeysUnavailableError, SigningKeys } from "./signing-keys.ts";
import { assertHeader, graceSeconds, TokenRefusal } from "./token-rules.ts";

environment.refuseEmulatorOutsideLocalStage();

/** The provider's keys, which a warm function keeps. */
const keys = new SigningKeys(async () => environment.idpJwksUri());

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
    if (payload.iss !== environment.idpIssuer()) throw new TokenRefusal("iss: not IDP_ISSUER");
    if (!isUnsigned(idToken, header)) {
      assertKeysUrlIsSafe(environment.idpJwksUri());
      assertSignature(decomposed, await keys.keysFor(header));
    }
    validateJwtFields(payload, expected());
    assertClaims(payload);
    return identityOf(payload);
  } catch (error) {
    throw refusalFor(error);
  }
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
  if (error instanceof KeysUnavailableError) return new ServiceError("identity_provider_unavailable", { cause: error });
  const reason = reasonOf(error);
  return reason === undefined ? error : new ServiceError("id_token_invalid", { reason });
}
