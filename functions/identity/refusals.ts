import {
  JwtBaseError,
  JwtInvalidAudienceError,
  JwtInvalidIssuerError,
  JwtNotBeforeError,
  JwtParseError,
} from "aws-jwt-verify/error";
import { TokenRefusal } from "./token-rules.ts";

/** The library's messages contain values of the token, which must not be logged. */
const reasons = [
  [JwtInvalidIssuerError, "iss: not IDP_ISSUER"],
  [JwtInvalidAudienceError, "aud: IDP_AUDIENCE is not in it"],
  [JwtNotBeforeError, "nbf: in the future"],
  [JwtParseError, "no JSON Web Token, or a claim of another type"],
  [JwtBaseError, "a claim: not as it must be"],
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
