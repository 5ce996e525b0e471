import type { JwtPayload } from "aws-jwt-verify/jwt-model";
import { hasEmailForm } from "../../contract/api/accounts/email-form.ts";
import { limits } from "../../contract/api/limits.ts";
import { withoutHiddenCharacters } from "../../contract/api/visible-text.ts";
import type { Identity } from "../entities/account.ts";

/** Reads the claims of a verified ID token (OpenID Connect Core, section 5.1). */
export function identityOf(claims: JwtPayload): Identity {
  const uid = claims.sub as string;
  return {
    issuer: claims.iss as string,
    uid,
    name: nameFrom(claims["name"]) ?? null,
    placeholderName: nameFrom(uid) ?? "Unnamed",
    email: emailFrom(claims["email"]),
    // Apple sends it as text.
    emailVerified: claims["email_verified"] === true || claims["email_verified"] === "true",
    avatar: pictureFrom(claims["picture"]),
    authTime: (claims["auth_time"] as number | undefined) ?? null,
    claims,
  };
}

/** Whether a claim is a text that can be stored: half of a surrogate pair has no form in UTF-8. */
export function isText(claim: unknown, maximumLength: number): claim is string {
  return typeof claim === "string" && claim.length <= maximumLength && claim.isWellFormed();
}

/** One line of text that `PATCH /me` would accept as a name. Some providers put the email address into `name`. */
function nameFrom(claim: unknown): string | undefined {
  if (typeof claim !== "string" || hasEmailForm(claim)) return undefined;
  const cut = withoutHiddenCharacters(claim.toWellFormed()).trim().slice(0, limits.nameLength);
  return (cut.isWellFormed() ? cut : cut.slice(0, -1)).trim() || undefined;
}

function emailFrom(claim: unknown): string | null {
  return isText(claim, 320) && /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(claim) ? claim : null;
}

function pictureFrom(claim: unknown): string | null {
  if (!isText(claim, limits.urlLength) || /\p{Cc}/u.test(claim) || !URL.canParse(claim)) return null;
  return new URL(claim).protocol === "https:" ? claim : null;
}
