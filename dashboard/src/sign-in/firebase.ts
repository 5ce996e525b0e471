import { initializeApp } from "@firebase/app";
import {
  type Auth,
  browserLocalPersistence,
  browserPopupRedirectResolver,
  connectAuthEmulator,
  GoogleAuthProvider,
  initializeAuth,
  signInWithPopup,
  signOut,
  type User,
} from "@firebase/auth";
import type { FirebaseProvider } from "../configuration.ts";
import type * as signIn from "./sign-in.ts";
import type { IdToken, SignIn, SignInDemand } from "./sign-in.ts";

/** Functions shared with other providers; passed in, since an import would split two more files off the first view. */
type Common = Pick<typeof signIn, "providerUnreachable" | "readIdToken" | "SignInProblem">;

/**
 * Signs in with Firebase Authentication, in a window that the library opens. The library keeps its own session in the
 * browser and renews ID tokens by itself.
 */
export class Firebase implements SignIn {
  /** None of its own beside the library's. */
  readonly hasSession = false;
  readonly #auth: Auth;
  readonly #common: Common;

  constructor({ apiKey, authDomain, projectId, emulator }: FirebaseProvider, common: Common) {
    this.#common = common;
    const app = initializeApp({ apiKey, authDomain, projectId });
    this.#auth = initializeAuth(app, {
      persistence: browserLocalPersistence,
      popupRedirectResolver: browserPopupRedirectResolver,
    });
    if (emulator) connectAuthEmulator(this.#auth, emulator, { disableWarnings: true });
  }

  async restore(): Promise<IdToken | undefined> {
    await this.#auth.authStateReady();
    const { currentUser } = this.#auth;
    return currentUser ? await this.#idTokenOf(currentUser).catch(this.#explain) : undefined;
  }

  start(): Promise<IdToken> {
    return this.startInWindow();
  }

  async renew(): Promise<IdToken | undefined> {
    const { currentUser } = this.#auth;
    try {
      return currentUser ? await this.#idTokenOf(currentUser, true) : undefined;
    } catch (error) {
      if (refusals.includes(codeOf(error))) return undefined;
      throw error;
    }
  }

  async startInWindow(demand?: SignInDemand): Promise<IdToken> {
    const google = new GoogleAuthProvider();
    // The one value that Google documents which always asks the person.
    if (demand) google.setCustomParameters({ prompt: "select_account" });
    return await signInWithPopup(this.#auth, google)
      .then(async ({ user }) => this.#common.readIdToken(await user.getIdToken(), { isNew: true }))
      .catch(this.#explain);
  }

  async forget(): Promise<void> {
    await signOut(this.#auth);
  }

  async signOut(): Promise<void> {
    await this.forget();
  }

  async #idTokenOf(user: User, fresh = false): Promise<IdToken> {
    return this.#common.readIdToken(await user.getIdToken(fresh), { isNew: fresh });
  }

  /** @throws SignInProblem */
  readonly #explain = (cause: unknown): never => {
    const { SignInProblem, providerUnreachable } = this.#common;
    const code = codeOf(cause);
    const sentence = code === "auth/network-request-failed" ? providerUnreachable : sentences[code];
    throw new SignInProblem(sentence ?? otherwise, { cause });
  };
}

function codeOf(error: unknown): string {
  return (error as { code?: string }).code ?? "";
}

/**
 * Error codes that say that the refresh token is not valid any more:
 * https://firebase.google.com/docs/reference/rest/auth#section-refresh-token
 */
const refusals = ["auth/user-token-expired", "auth/user-disabled", "auth/invalid-refresh-token"];

/** The errors of https://firebase.google.com/docs/reference/js/auth#autherrorcodes that a person can do something about. */
const sentences: Record<string, string> = {
  "auth/popup-blocked": "The browser blocked the window. Allow pop-ups here, then try again.",
  "auth/user-disabled": "Your account at the identity provider is disabled. Ask its administrator.",
  "auth/popup-closed-by-user": "The window was closed before you were signed in. Try again.",
};

const otherwise = "The identity provider did not complete the sign-in. Try to sign in again.";
