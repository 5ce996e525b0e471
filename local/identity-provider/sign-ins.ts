import { createHash, randomBytes } from "node:crypto";

/** A person who signs in at the local provider. */
export interface LocalPerson {
  readonly uid: string;
  readonly name: string;
  readonly email: string;
}

/** A valid request of a client for an authorization code (OpenID Connect Core, section 3.1.2.1). */
export interface AuthorizationRequest {
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly state: string | undefined;
  readonly nonce: string | undefined;
  /** `none`: no page may be shown; `login` and `select_account`: the page must be. */
  readonly prompt: string | undefined;
  /** Seconds since the sign-in, after which the page must be shown. */
  readonly maxAgeSeconds: number | undefined;
}

/** A browser in which a person is signed in. */
interface Session {
  readonly person: LocalPerson;
  /** In seconds, for the claim `auth_time`. */
  readonly authenticatedAt: number;
}

interface Grant {
  readonly session: Session;
  readonly sessionId: string;
  readonly nonce: string | undefined;
}

interface Code extends Grant {
  readonly request: AuthorizationRequest;
  readonly expiresAt: number;
}

const codeLifetimeMilliseconds = 60_000;

/** Sessions, authorization codes and refresh tokens of the local provider. They are in memory and end with the process. */
export class SignIns {
  readonly #sessions = new Map<string, Session>();
  readonly #codes = new Map<string, Code>();
  readonly #refreshTokens = new Map<string, Grant>();

  /** Starts a session and returns its id, which is the value of the provider's cookie. */
  start(person: LocalPerson): string {
    const id = newSecret();
    this.#sessions.set(id, { person, authenticatedAt: Math.floor(Date.now() / 1_000) });
    return id;
  }

  session(id: string | undefined): Session | undefined {
    return this.#sessions.get(id ?? "");
  }

  /** Ends a session and the refresh tokens that came from it. */
  end(id: string | undefined): void {
    this.#sessions.delete(id ?? "");
    for (const [token, { sessionId }] of this.#refreshTokens) if (sessionId === id) this.#refreshTokens.delete(token);
  }

  /** A code for the client, valid once and for a minute. */
  issueCode(sessionId: string, request: AuthorizationRequest): string {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw new Error("No such session");
    const code = newSecret();
    const expiresAt = Date.now() + codeLifetimeMilliseconds;
    this.#codes.set(code, { session, sessionId, nonce: request.nonce, request, expiresAt });
    return code;
  }

  /** Uses up a code; undefined if code, redirect URI and verifier (RFC 7636, section 4.6) do not match. */
  redeemCode(code: string, redirectUri: string, verifier: string): Grant | undefined {
    const issued = this.#codes.get(code);
    this.#codes.delete(code);
    if (issued === undefined || issued.expiresAt <= Date.now()) return undefined;
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const isTheClients = issued.request.redirectUri === redirectUri && issued.request.codeChallenge === challenge;
    return isTheClients ? issued : undefined;
  }

  /** A new refresh token of a grant. */
  issueRefreshToken({ session, sessionId }: Grant): string {
    const token = newSecret();
    this.#refreshTokens.set(token, { session, sessionId, nonce: undefined });
    return token;
  }

  /** Uses up a refresh token; undefined if it is unknown, used already, or its session has ended. */
  redeemRefreshToken(token: string): Grant | undefined {
    const grant = this.#refreshTokens.get(token);
    this.#refreshTokens.delete(token);
    return grant;
  }
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}
