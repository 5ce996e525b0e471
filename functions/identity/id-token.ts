import {
  JwksValidationError,
  JwkValidationError,
  JwtBaseError,
  JwtExpiredError,
  JwtInvalidIssuerError,
} from "aws-jwt-verify/error";
import { decomposeUnverifiedJwt, validateJwtFields } from "aws-jwt-verify/jwt";
import type { JwtHeader, JwtPayload } from "aws-jwt-verify/jwt-model";
import { JwtVerifier } from "aws-jwt-verify/jwt-verifier";
import { limits } from "../../contract/limits.ts";
import { ServiceError } from "../domain/service-error.ts";
import { environment, refuseEmulatorOutsideLocalStage } from "../environment.ts";
import { assertKeysUrlIsSafe, KeysUnavailableError, signingKeys } from "./signing-keys.ts";

/** Who an ID token says that its bearer is. */
export interface Identity {
  readonly issuer: string;
  readonly uid: string;
  readonly name: string;
  readonly email: string | null;
  readonly avatar: string | null;
}

/** How far the provider's clock and ours may be apart. */
const graceSeconds = 60;

refuseEmulatorOutsideLocalStage();

let verifier: { verify(jwt: string): Promise<JwtPayload> } | undefined;

/** The verifier that a warm function keeps. */
function jwtVerifier() {
  assertKeysUrlIsSafe(environment.idpJwksUri);
  verifier ??= JwtVerifier.create(
    {
      issuer: environment.idpIssuer,
      audience: environment.idpAudience,
      jwksUri: environment.idpJwksUri,
      graceSeconds,
      customJwtCheck: ({ payload }) => assertClaims(payload),
    },
    { jwksCache: signingKeys() },
  );
  return verifier;
}

/**
 * Verifies an ID token: signed by one of the provider's published keys, issued by it for this service, not expired, not
 * from the future (OpenID Connect Core, section 3.1.3.7; specification, Authentication 1). With the emulator switch on,
 * an unsigned one passes when all its claims do (specification, Authentication 4).
 *
 * @throws ServiceError `id_token_expired`, `id_token_invalid`; `identity_provider_unavailable` where its keys cannot be had
 */
export async function verifyIdToken(idToken: string): Promise<Identity> {
  try {
    const { header, payload } = decompose(idToken);
    assertHeader(header);
    // The library keeps a key for each issuer that a token names, before it checks the name.
    if (payload.iss !== environment.idpIssuer) throw new JwtInvalidIssuerError("Another issuer", payload.iss);
    if (!isUnsigned(idToken, header)) return identityOf(await jwtVerifier().verify(idToken));
    validateJwtFields(payload, {
      issuer: environment.idpIssuer,
      audience: environment.idpAudience,
      graceSeconds,
    });
    assertClaims(payload);
    return identityOf(payload);
  } catch (error) {
    throw refusalFor(error);
  }
}

/** The library wants a signature to take a token apart; an emulator's has none. */
function decompose(idToken: string) {
  return decomposeUnverifiedJwt(idToken.endsWith(".") ? `${idToken}none` : idToken);
}

function isUnsigned(idToken: string, header: JwtHeader): boolean {
  return environment.idpAuthEmulatorHost !== undefined && header.alg === "none" && idToken.endsWith(".");
}

/**
 * No other kind of token that the provider signs (an access token, a logout token) passes for an ID token (RFC 8725,
 * section 3.11), and no extension that must be understood is passed over (RFC 7515, section 4.1.11).
 */
function assertHeader({ typ = "JWT", crit }: JwtHeader & { typ?: unknown; crit?: unknown }): void {
  const isIdToken = typeof typ === "string" && typ.toUpperCase() === "JWT";
  if (!isIdToken || crit !== undefined) throw new ServiceError("id_token_invalid");
}

/**
 * What OpenID Connect requires of the claims and the library does not: a subject, times, no audience beside ours, since
 * nothing says that we trust another, and nobody else that it was issued to: some providers give other applications
 * access tokens for our audience, with which those could be their users here (OpenID Connect Core, section 3.1.3.7, items
 * 3 to 5).
 */
function assertClaims({ sub, aud, azp = environment.idpAudience, exp, iat }: JwtPayload): void {
  const isNamed = isText(sub, limits.uidLength) && sub.trim() !== "";
  const isTimed = exp !== undefined && iat !== undefined && iat - graceSeconds <= Date.now() / 1_000;
  const isForUsAlone = [aud].flat().length === 1 && azp === environment.idpAudience;
  if (!isNamed || !isTimed || !isForUsAlone) throw new ServiceError("id_token_invalid");
}

function refusalFor(error: unknown): unknown {
  if (error instanceof JwtExpiredError) return new ServiceError("id_token_expired");
  if (
    error instanceof KeysUnavailableError ||
    error instanceof JwksValidationError ||
    error instanceof JwkValidationError
  )
    return new ServiceError("identity_provider_unavailable", { cause: error });
  const isOfTheToken = error instanceof JwtBaseError || isRefusalByNode(error);
  return isOfTheToken ? new ServiceError("id_token_invalid", { cause: error }) : error;
}

/** What the library lets through of Node: a signature or key that the algorithm cannot have, a time that no date can be. */
function isRefusalByNode(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return error instanceof RangeError || /^ERR_(CRYPTO|OSSL)_/.test(code ?? "");
}

function identityOf(claims: JwtPayload): Identity {
  const uid = claims.sub as string;
  return {
    issuer: claims.iss as string,
    uid,
    name: nameFrom(claims["name"]) ?? nameFrom(uid) ?? "Unnamed",
    email: emailFrom(claims["email"]),
    avatar: pictureFrom(claims["picture"]),
  };
}

/** What can be stored: half of a surrogate pair cannot be written in UTF-8. */
function isText(claim: unknown, maximumLength: number): claim is string {
  return typeof claim === "string" && claim.length <= maximumLength && claim.isWellFormed();
}

/** One line of text, without what would not pass as a name in `PATCH /me`. */
function nameFrom(claim: unknown): string | undefined {
  if (typeof claim !== "string") return undefined;
  const cut = claim
    .toWellFormed()
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, limits.nameLength);
  return (cut.isWellFormed() ? cut : cut.slice(0, -1)).trim() || undefined;
}

function emailFrom(claim: unknown): string | null {
  return isText(claim, 320) && /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(claim) ? claim : null;
}

function pictureFrom(claim: unknown): string | null {
  if (!isText(claim, limits.urlLength) || /\p{Cc}/u.test(claim) || !URL.canParse(claim)) return null;
  return new URL(claim).protocol === "https:" ? claim : null;
}
