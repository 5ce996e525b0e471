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
import { type IdToken, providerUnreachable, readIdToken, type SignIn, SignInProblem } from "./sign-in.ts";

/**
 * Signs in with Firebase Authentication, in a window that the library opens. The library keeps its own session in the
 * browser and renews ID tokens by itself.
 */
export class Firebase implements SignIn {
  readonly #auth: Auth;

  constructor({ apiKey, authDomain, projectId, emulator }: FirebaseProvider) {
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
    return currentUser ? await idTokenOf(currentUser) : undefined;
  }

  async start(): Promise<IdToken> {
    try {
      const { user } = await signInWithPopup(this.#auth, new GoogleAuthProvider());
      return await idTokenOf(user);
    } catch (cause) {
      throw new SignInProblem(sentences[(cause as { code?: string }).code ?? ""] ?? otherwise, { cause });
    }
  }

  async renew(): Promise<IdToken | undefined> {
    const { currentUser } = this.#auth;
    try {
      return currentUser ? await idTokenOf(currentUser, true) : undefined;
    } catch (error) {
      if ((error as { code?: string }).code === "auth/network-request-failed") throw error;
      return undefined;
    }
  }

  startInWindow(): Promise<IdToken> {
    return this.start();
  }

  async forget(): Promise<void> {
    await signOut(this.#auth);
  }

  /** Firebase has no session of its own beside the library's. */
  async signOut(): Promise<void> {
    await this.forget();
  }
}

async function idTokenOf(user: User, fresh = false): Promise<IdToken> {
  return readIdToken(await user.getIdToken(fresh));
}

/** The errors of https://firebase.google.com/docs/reference/js/auth#autherrorcodes that a person can do something about. */
const sentences: Record<string, string> = {
  "auth/popup-blocked": "The browser blocked the window. Allow pop-ups here, then try again.",
  "auth/popup-closed-by-user": "The window was closed before you were signed in. Try again.",
  "auth/cancelled-popup-request": "The window was closed before you were signed in. Try again.",
  "auth/network-request-failed": providerUnreachable,
};

const otherwise = "The identity provider did not complete the sign-in. Try to sign in again.";
