import type { IdToken, SignIn } from "./sign-in/sign-in.ts";

/** An ID token that has less time left is renewed before it is used. */
const marginMilliseconds = 60_000;

/** The person's session on this page: the ID token, in memory alone, and how to get the next one. */
export class Session {
  readonly #signIn: SignIn;
  readonly #onEnded: (end: SessionEnd | undefined) => void;
  #token: IdToken;
  #renewing: Promise<string> | undefined;

  /** @param onEnded told when the person must sign in again, and, without a value, when they have */
  constructor(signIn: SignIn, token: IdToken, onEnded: (end: SessionEnd | undefined) => void) {
    this.#signIn = signIn;
    this.#token = token;
    this.#onEnded = onEnded;
  }

  /** An ID token that is good for a minute at least. */
  async idToken(): Promise<string> {
    if (this.#token.expiresAt - Date.now() > marginMilliseconds) return this.#token.value;
    return await this.freshIdToken();
  }

  /** Another ID token than the one that was used last: renewed silently, or else by asking the person, once for all calls. */
  async freshIdToken(): Promise<string> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined;
    });
    return await this.#renewing;
  }

  async signOut(): Promise<void> {
    await this.#signIn.end();
  }

  async #renew(): Promise<string> {
    const renewed = (await this.#signIn.renew().catch(() => undefined)) ?? (await this.#askAgain());
    if (renewed.subject !== this.#token.subject) {
      // What is on the page belongs to somebody else.
      location.assign("/");
      return await new Promise<never>(() => undefined);
    }
    this.#token = renewed;
    return renewed.value;
  }

  #askAgain(): Promise<IdToken> {
    return new Promise((resolve) => {
      this.#onEnded({
        signInAgain: async () => {
          const token = await this.#signIn.startInWindow();
          this.#onEnded(undefined);
          resolve(token);
        },
      });
    });
  }
}

/** The session is over; calls wait until the person has signed in again. */
export interface SessionEnd {
  /** @throws SignInProblem */
  signInAgain(): Promise<void>;
}
