import { randomUUID } from "node:crypto";
import { type CheckedResponse, must, type RequestContent, send } from "./checked-request.ts";
import type { TestService } from "./service.ts";

/** A caller of the API. Every response is checked against the contract. */
export interface Actor {
  /** The raw ID token or personal access token; undefined for an anonymous caller. */
  readonly credential: string | undefined;
  get(path: string): Promise<CheckedResponse>;
  /** A body is sent as JSON; without one, nothing is sent. */
  post(path: string, body?: unknown): Promise<CheckedResponse>;
  patch(path: string, body?: unknown): Promise<CheckedResponse>;
  delete(path: string): Promise<CheckedResponse>;
  /** Sends what the others cannot: other methods, headers or bodies. */
  send(method: string, path: string, sent?: RequestContent): Promise<CheckedResponse>;
}

/** A person with an account. */
export interface Person extends Actor {
  readonly uid: string;
  readonly email: string;
  readonly credential: string;
}

/** A developer, who makes tokens. */
export interface Developer extends Person {
  /** A caller with a new personal access token of this person. */
  token(request?: TokenRequest): Promise<TokenActor>;
  /** Another developer. */
  otherDeveloper(): Promise<Developer>;
}

/** A caller with a personal access token. */
export interface TokenActor extends Actor {
  readonly credential: string;
  readonly id: string;
}

/** Properties with which a token is created: by default a name and the scope `publish`. */
export interface TokenRequest {
  readonly name?: string;
  readonly scopes?: readonly string[];
  readonly projects?: readonly string[];
  readonly expires_in_days?: number;
}

/** Makes callers of a service, a new one at each call, so that tests share nothing. */
export interface Actors {
  readonly anonymous: Actor;
  /** A caller with this credential. */
  bearer(credential: string): Actor;
  /** A person with a valid ID token and no account. */
  stranger(claims?: Readonly<Record<string, unknown>>): Promise<Person>;
  user(claims?: Readonly<Record<string, unknown>>): Promise<Person>;
  developer(claims?: Readonly<Record<string, unknown>>): Promise<Developer>;
  otherDeveloper(): Promise<Developer>;
  /** A token of a new developer, with these scopes. */
  token(...scopes: string[]): Promise<TokenActor>;
}

export function actorsOf(service: Pick<TestService, "api" | "idToken">): Actors {
  const bearer = (credential: string) => actor(service.api, credential);
  const stranger = async (claims: Readonly<Record<string, unknown>> = {}): Promise<Person> => {
    const uid = String(claims["sub"] ?? `uid-${randomUUID()}`);
    const email = `${uid}@example.test`;
    const credential = await service.idToken({
      sub: uid,
      email,
      email_verified: true,
      name: "Ada Lovelace",
      ...claims,
    });
    return { ...bearer(credential), uid, email, credential };
  };
  const developer = async (claims?: Readonly<Record<string, unknown>>): Promise<Developer> => {
    const person = await stranger(claims);
    await signIn(person, { role: "dev" });
    return {
      ...person,
      otherDeveloper: () => developer(),
      token: async (request) => {
        const { body } = must(await person.post("/tokens", { name: "a token", scopes: ["publish"], ...request }), 201);
        return { ...bearer(body.token), credential: body.token, id: body.id };
      },
    };
  };
  return {
    get anonymous() {
      return actor(service.api, undefined);
    },
    bearer,
    stranger,
    user: async (claims) => {
      const person = await stranger(claims);
      await signIn(person, {});
      return person;
    },
    developer,
    otherDeveloper: () => developer(),
    token: async (...scopes) => (await developer()).token({ scopes }),
  };
}

async function signIn(person: Person, body: object): Promise<void> {
  must(await person.post("/auth/session", body), 201);
}

function actor(api: string, credential: string | undefined): Actor {
  const authorization = credential === undefined ? {} : { authorization: `Bearer ${credential}` };
  const sendAs = (method: string, path: string, sent: RequestContent = {}) =>
    send(api, method, path, { ...sent, headers: { ...authorization, ...sent.headers } });
  const sendJson = (method: string, path: string, body: unknown) =>
    body === undefined
      ? sendAs(method, path)
      : sendAs(method, path, { headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  return {
    credential,
    send: sendAs,
    get: (path) => sendAs("GET", path),
    post: (path, body) => sendJson("POST", path, body),
    patch: (path, body) => sendJson("PATCH", path, body),
    delete: (path) => sendAs("DELETE", path),
  };
}
