import {
  JwksValidationError,
  JwkValidationError,
  JwtBaseError,
  JwtInvalidAudienceError,
  JwtInvalidIssuerError,
  JwtInvalidSignatureAlgorithmError,
  JwtInvalidSignatureError,
  JwtNotBeforeError,
  JwtParseError,
  JwtWithoutValidKidError,
  KidNotFoundInJwksError,
  WaitPeriodNotYetEndedJwkError,
} from "aws-jwt-verify/error";
import { KeysUnavailableError } from "./signing-keys.ts";
import { TokenRefusal } from "./token-rules.ts";

/** Whether the keys could not be had: a fault of the service or the provider, never of the caller. */
export function areKeysUnavailable(error: unknown): boolean {
  return [KeysUnavailableError, JwksValidationError, JwkValidationError].some((type) => error instanceof type);
}

/** The library's messages contain values of the token, which must not be logged. */
const reasons = [
  [JwtInvalidIssuerError, "iss: not IDP_ISSUER"],
  [JwtInvalidAudienceError, "aud: IDP_AUDIENCE is not in it"],
  [JwtNotBeforeError, "nbf: in the future"],
  [JwtInvalidSignatureError, "signature: not of the key that kid names"],
  [JwtInvalidSignatureAlgorithmError, "alg: unknown, or not that of the key"],
  [JwtWithoutValidKidError, "kid: missing"],
  [KidNotFoundInJwksError, "kid: the provider publishes no such key"],
  [WaitPeriodNotYetEndedJwkError, "kid: the provider published no such key a moment ago"],
  [JwtParseError, "no JSON Web Token, or a claim of another type"],
  [JwtBaseError, "the key that kid names cannot sign ID tokens"],
] as const;

/** Why the token itself caused an error; undefined if it did not. */
export function reasonOf(error: unknown): string | undefined {
  if (error instanceof TokenRefusal) return error.message;
  const [, reason] = reasons.find(([type]) => error instanceof type) ?? [];
  return reason ?? (isRefusalByNode(error) ? "signature, key or a time: impossible" : undefined);
}

/**
 * Errors of Node that the library does not catch: a signature or key that the algorithm cannot have, a time that is no
 * date.
 */
function isRefusalByNode(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof RangeError || /^ERR_(CRYPTO|OSSL)_/.test(code ?? "");
}
