import { noteServerTime, timeOfResponse } from "../../contract/api/time/server-time.ts";
import { ApiError, type ApiResponse } from "../../contract/api-error.ts";
import { type ApiRequest, Client, type ResponseBody } from "../../contract/client.ts";
import type { Session } from "./session.ts";
import { type SignInDemand, SignInProblem } from "./sign-in/sign-in.ts";
import { unreachable } from "./unreachable.ts";

/** Calls the API as the person who is signed in. Who is at the page tries again what fails; a publication waits for the network. */
export class Api extends Client {
  readonly #session: Session;
  readonly #onDeveloper: (account: ResponseBody<"createSession">) => void;

  /** Responses to what was read before a view asked for it, by URL; undefined if no response came. */
  readonly #early = new Map<string, Promise<ApiResponse | undefined>>();

  /** Undefined until the person's account is known. */
  #isDeveloper: boolean | undefined;

  /**
   * If the ID token has expired, or its sign-in is too old for a call, the call waits until the person has signed in again. Somebody's
   * first creation or approval makes them a developer.
   *
   * @param onDeveloper called once the person has become a developer
   */
  constructor(
    origin: string,
    session: Session,
    onDeveloper: (account: ResponseBody<"createSession">) => void = () => {},
  ) {
    super({
      api: new URL(origin),
      tries: 1,
      fetch: (request) => this.#send(request),
      credential: async () => sendable(await session.idToken()),
      otherCredential: async ({ code, challenge = "" }) => {
        if (code === "recent_sign_in_required") return await session.recentIdToken(demandIn(challenge));
        return code.startsWith("id_token_") ? await session.freshIdToken() : undefined;
      },
      prepare: async (line) => {
        if (!line.startsWith("GET ") && line !== "POST /auth/session") this.#early.clear();
        const isCreation = line.startsWith("POST ") && !forUsers.includes(line);
        if (isCreation && !this.mayBeDeveloper) await this.becomeDeveloper();
      },
    });
    this.#session = session;
    this.#onDeveloper = onDeveloper;
  }

  /**
   * A client for one request that the person has not asked for: it never asks them to sign in.
   *
   * @param isPresent whether they have just come back to the page, so that their session is renewed if it must be
   * @returns undefined if they would have to sign in
   */
  async unasked(isPresent: boolean): Promise<Client | undefined> {
    this.#early.clear();
    const idToken = await this.#session.unaskedIdToken(isPresent);
    if (idToken === undefined) return undefined;
    return new Client({ api: this.api, tries: 1, fetch: send, credential: async () => sendable(idToken) });
  }

  /**
   * A client that reads, beside the sign-in, what a view will ask for once the account is known. The first same request of the view takes
   * the response, if it was a success; it takes none from before a change, or from before the view looks for changes of others.
   */
  early(): Client {
    const keep = (request: ApiRequest) => {
      const response = send(request);
      // If none came, the view's own request says why.
      this.#early.set(
        request.url.href,
        response.catch(() => undefined),
      );
      return response;
    };
    const credential = async () => sendable(await this.#session.idToken());
    return new Client({ api: this.api, tries: 1, fetch: keep, credential });
  }

  async #send(request: ApiRequest): Promise<ApiResponse> {
    const { href } = request.url;
    const early = request.method === "GET" ? this.#early.get(href) : undefined;
    this.#early.delete(href);
    const response = await early;
    return response?.status === 200 ? response : await send(request);
  }

  /** Whether the person is a developer, as far as is known. */
  get mayBeDeveloper(): boolean {
    return this.#isDeveloper !== false;
  }

  /** Signs the person in, who has an account then. @throws ApiError, NetworkError; SignInProblem with the reason, if the account is suspended */
  async signIn(): Promise<ResponseBody<"createSession">> {
    const account = await this.call("POST /auth/session", { body: {} }).catch(async (error: unknown) => {
      const isSuspended = error instanceof ApiError && error.code === "account_suspended";
      const { suspension } = isSuspended ? await this.call("GET /me") : { suspension: null };
      throw suspension ? new SignInProblem(suspendedFor(suspension.reason)) : error;
    });
    this.#isDeveloper = account.user.role === "dev";
    return account;
  }

  /** Makes the person a developer. @throws ApiError also `developer_not_allowed`, `developer_approval_pending`, if the stage limits who may become one */
  async becomeDeveloper(): Promise<void> {
    this.#onDeveloper(await this.call("POST /auth/session", { body: { role: "dev" } }));
    this.#isDeveloper = true;
  }
}

/** Calls by which nobody becomes a developer: who looks at an invitation, or accepts one as a viewer, needs not be one. */
const forUsers = [
  "POST /auth/session",
  "POST /projects/:slug/invitations/:invitation/lookup",
  "POST /projects/:slug/invitations/:invitation/acceptance",
];

/** A client for routes that need no credential, before somebody has signed in. */
export function openClient(origin: string): Client {
  return new Client({ api: new URL(origin), tries: 1, fetch: send, credential: async () => undefined });
}

function suspendedFor(reason: string): string {
  return `The operator has suspended your account: ${reason.replaceAll("_", " ")}. Nobody can play its games, and its tokens do nothing. Ask the operator.`;
}

/**
 * API Gateway refuses a request whose line and headers have more than 10,240 bytes together, in a way that a page cannot read (HTTP API
 * quotas). The browser's own headers take up to 1,000.
 */
const maxIdTokenLength = 9_000;

/** @throws SignInProblem for an ID token that no request can carry */
function sendable(idToken: string): string {
  if (idToken.length <= maxIdTokenLength) return idToken;
  throw new SignInProblem(
    "Your sign-in is too large to be sent, because the identity provider puts too much into it, such as all your groups. Ask its administrator to send fewer.",
  );
}

async function send({ method, url, headers, body }: ApiRequest) {
  try {
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) });
    noteServerTime(timeOfResponse(response.headers.get("date"), response.headers.get("age")));
    return {
      status: response.status,
      header: (name: string) => response.headers.get(name),
      body: await response.text(),
    };
  } catch (cause) {
    throw unreachable("The service cannot be reached. Check your connection, then try again.", { cause });
  }
}

/** What a challenge demands of a sign-in (RFC 9470, section 3). */
function demandIn(challenge: string): SignInDemand {
  const [, maxAge] = /max_age="(\d+)"/.exec(challenge) ?? [];
  const [, acrValues] = /acr_values="([^"]+)"/.exec(challenge) ?? [];
  return { ...(maxAge && { max_age: maxAge }), ...(acrValues && { acr_values: acrValues }) };
}
