import { noteServerTime, serverNow } from "../../../contract/api/time/server-time.ts";

/** An ID token, and when it expires. It is kept only in memory. */
export interface IdToken {
  readonly value: string;
  /** The person, as the provider knows them. */
  readonly subject: string;
  /** Milliseconds since 1970, by this device's clock. */
  readonly expiresAt: number;
}

/** Why a person who was signed in is not any more. */
export type Farewell = "signed out elsewhere" | "account deleted";

/** What the API demands of a sign-in, as parameters of OpenID Connect Core, section 3.1.2.1. */
export interface SignInDemand {
  /** Seconds. */
  readonly max_age?: string;
  /** Authentication contexts, separated by spaces. */
  readonly acr_values?: string;
}

/** Sign-in at the stage's identity provider. */
export interface SignIn {
  /** Whether the provider keeps a session after {@link forget}, which {@link signOut} ends. */
  readonly hasSession: boolean;
  /**
   * Finds out at the start of a page who is signed in, without asking anybody: by completing a sign-in that began in this
   * browser, or by a session of the provider.
   *
   * @throws SignInProblem if the provider refused
   */
  restore(): Promise<IdToken | undefined>;
  /** Signs in, from a click. May leave the page; {@link restore} continues when the browser is back. */
  start(): Promise<IdToken>;
  /** A new ID token without asking; undefined if the person must be asked. @throws Error if the provider cannot be reached */
  renew(): Promise<IdToken | undefined>;
  /**
   * Signs in again in a window of its own, from a click, so that the page keeps what was typed.
   *
   * @param demand if it is given, the provider must ask the person, whatever session it has
   * @throws SignInProblem
   */
  startInWindow(demand?: SignInDemand): Promise<IdToken>;
  /** Forgets who is signed in here, so that the next page asks; the provider's session goes on. Does not leave the page. */
  forget(): Promise<void>;
  /** Signs out at the provider in this browser, after {@link forget}. May leave the page. */
  signOut(): Promise<void>;
}

/** Message that the person reads if the provider does not respond. */
export const providerUnreachable = "The identity provider cannot be reached. Check your connection, then try again.";

/** Why a sign-in did not work, in a sentence for the person. */
export class SignInProblem extends Error {
  override readonly name = "SignInProblem";
}

/**
 * Reads an ID token without verifying it. The API verifies it; the page only needs to know whose it is and when it
 * expires.
 *
 * @param isNew whether the provider has issued it just now, which tells what time it is there: this device's clock may be off
 */
export function readIdToken(value: string, { isNew = false } = {}): IdToken {
  const payload = value.split(".")[1] ?? "";
  const bytes = Uint8Array.from(atob(payload.replaceAll("-", "+").replaceAll("_", "/")), (digit) =>
    digit.charCodeAt(0),
  );
  const { sub, iat, exp } = JSON.parse(new TextDecoder().decode(bytes)) as { sub: string; iat: number; exp: number };
  if (isNew) noteServerTime(iat * 1_000);
  return { value, subject: sub, expiresAt: exp * 1_000 - serverNow() + Date.now() };
}
