import { limits } from "../../contract/api/limits.ts";
import type { Identity } from "../entities/account.ts";
import * as environment from "../environment.ts";
import { ServiceError } from "./service-error.ts";

const usualSignInSeconds = 600;

type SignIn = Pick<Identity, "authTime" | "claims">;

/**
 * Refuses a sign-in that is older than the stage allows. One without a time counts as too old if the stage sets a limit.
 *
 * @param demand `always`: ten minutes if the stage sets no limit and the provider gives the time
 * @throws ServiceError `recent_sign_in_required`
 */
export function assertRecentSignIn({ authTime }: SignIn, demand: true | "always", now: Date): void {
  const idpSignInSeconds = environment.idpSignInSeconds();
  const signInSeconds = idpSignInSeconds ?? (demand === "always" ? usualSignInSeconds : undefined);
  if (signInSeconds === undefined) return;
  if (authTime === null && idpSignInSeconds === undefined) return;
  if (!isAtMost(signInSeconds, authTime, now)) throw new ServiceError("recent_sign_in_required", { signInSeconds });
}

/**
 * Refuses a sign-in by which nobody changes what players get where a person makes live: one that is older than 15 minutes, or than the
 * stage's own limit, or has no time; and one of another authentication context than the stage demands (`acr`, RFC 9470, section 5).
 *
 * @throws ServiceError `recent_sign_in_required`
 */
export function assertJustSignedIn({ authTime, claims }: SignIn, now: Date): void {
  const signInSeconds = Math.min(
    environment.idpSignInSeconds() ?? Number.POSITIVE_INFINITY,
    limits.personSignInSeconds,
  );
  const acrValues = environment.idpAcrValues();
  const isDemanded = acrValues.length === 0 || acrValues.includes(claims["acr"] as string);
  if (isDemanded && isAtMost(signInSeconds, authTime, now)) return;
  throw new ServiceError("recent_sign_in_required", { signInSeconds, acrValues });
}

function isAtMost(seconds: number, authTime: number | null, now: Date): boolean {
  return authTime !== null && now.getTime() / 1_000 - authTime <= seconds;
}
