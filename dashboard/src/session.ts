import { type IdToken, providerUnreachable, type SignIn, type SignInDemand } from "./sign-in/sign-in.ts";
import { unreachable } from "./unreachable.ts";

/** An ID token with less time left is renewed before it is used. */
const marginMilliseconds = 60_000;

/** The person's session on this page: the ID token, kept only in memory, and how to get the next one. */
export class Session {
  readonly #signIn: SignIn;
  readonly #onSignInNeeded: (prompt: SignInPrompt | undefined) => void;
  #token: IdToken;
  #renewing: Promise<string> | undefined;
  #renewingSilently: Promise<IdToken | undefined> | undefined;
  /** Question that the person was asked last. */
  #asking: Promise<unknown> = Promise.resolve();

  /** @param onSignInNeeded called when the person must sign in again, and, without a value, when they have */
  constructor(signIn: SignIn, token: IdToken, onSignInNeeded: (prompt: SignInPrompt | undefined) => void) {
    this.#signIn = signIn;
    this.#token = token;
    this.#onSignInNeeded = onSignInNeeded;
  }

  /** An ID token that is valid for at least a minute. @throws NetworkError if the provider cannot be reached to renew it */
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

  /**
   * An ID token for a request that the person has not asked for; undefined if there is none without asking them. Only what the person
   * does renews the session, so a page that nobody uses lets it end.
   *
   * @param isPresent whether they have just come back to the page
   */
  async unaskedIdToken(isPresent: boolean): Promise<string | undefined> {
    if (this.#token.expiresAt - Date.now() > marginMilliseconds) return this.#token.value;
    const renewed = isPresent ? await this.#renewSilently() : undefined;
    return renewed && (await this.#use(renewed));
  }

  /** An ID token of a sign-in that the person makes now, for which this asks them; undefined if they do not want to. */
  async recentIdToken(demand: SignInDemand = {}): Promise<string | undefined> {
    return await this.#ask(demand);
  }

  async #renew(): Promise<string> {
    const renewed = await this.#renewSilently();
    // Only who is asked for a recent sign-in can say no.
    return (await (renewed ? this.#use(renewed) : this.#ask())) as string;
  }

  /**
   * A connection that is lost does not end the session: a machine that wakes up is offline for a moment. Calls at the same time renew it
   * once, because a provider may take a refresh token that is used twice for a stolen one.
   */
  async #renewSilently(): Promise<IdToken | undefined> {
    this.#renewingSilently ??= this.#signIn.renew().finally(() => {
      this.#renewingSilently = undefined;
    });
    try {
      return await this.#renewingSilently;
    } catch {
      throw unreachable(providerUnreachable);
    }
  }

  async #use(renewed: IdToken): Promise<string> {
    if (renewed.subject !== this.#token.subject) {
      // The content of the page belongs to another person.
      location.assign("/");
      return await new Promise<never>(() => undefined);
    }
    this.#token = renewed;
    return renewed.value;
  }

  /** Asks the person, who is asked one thing at a time: who waits for their turn takes what the sign-in before gave. */
  #ask(demand?: SignInDemand): Promise<string | undefined> {
    const lastToken = this.#token;
    const answer = this.#asking.then(() => (this.#token === lastToken ? this.#prompt(demand) : this.#token.value));
    this.#asking = answer;
    return answer;
  }

  /** @param demand if it is given, the session goes on, so that the person need not sign in */
  #prompt(demand?: SignInDemand): Promise<string | undefined> {
    return new Promise((resolve) => {
      const close = (value: Promise<string> | undefined) => {
        this.#onSignInNeeded(undefined);
        resolve(value);
      };
      this.#onSignInNeeded({
        signInAgain: async () => close(this.#use(await this.#signIn.startInWindow(demand))),
        ...(demand && { cancel: () => close(undefined) }),
      });
    });
  }
}

/** The session has expired, or its sign-in is too old for a call; calls wait until the person has signed in again. */
export interface SignInPrompt {
  /** @throws SignInProblem */
  signInAgain(): Promise<void>;
  /** Cancels the call. Absent if the session itself has expired. */
  cancel?(): void;
}
