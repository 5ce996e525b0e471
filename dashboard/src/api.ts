import { noteServerTime, timeOfResponse } from "../../contract/api/time/server-time.ts";
import { type ApiRequest, Client, type ResponseBody } from "../../contract/client.ts";
import type { Session } from "./session.ts";
import { unreachable } from "./unreachable.ts";

/** Calls the API as the person who is signed in. Who is at the page tries again what fails; a publication waits for the network. */
export class Api extends Client {
  readonly #onDeveloper: (account: ResponseBody<"createSession">) => void;

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
      fetch: send,
      credential: () => session.idToken(),
      otherCredential: async ({ code }) => {
        if (code === "recent_sign_in_required") return await session.recentIdToken();
        return code.startsWith("id_token_") ? await session.freshIdToken() : undefined;
      },
      prepare: async (line) => {
        const isCreation = line.startsWith("POST ") && line !== "POST /auth/session";
        if (isCreation && !this.mayBeDeveloper) await this.becomeDeveloper();
      },
    });
    this.#onDeveloper = onDeveloper;
  }

  /** Whether to request projects and tokens, which only a developer has. */
  get mayBeDeveloper(): boolean {
    return this.#isDeveloper !== false;
  }

  /** Signs the person in, who has an account then. @throws ApiError, NetworkError */
  async signIn(): Promise<ResponseBody<"createSession">> {
    const account = await this.call("POST /auth/session", { body: {} });
    this.#isDeveloper = account.user.role === "dev";
    return account;
  }

  /** Makes the person a developer. @throws ApiError also `developer_not_allowed`, `developer_approval_pending`, if the stage limits who may become one */
  async becomeDeveloper(): Promise<void> {
    this.#onDeveloper(await this.call("POST /auth/session", { body: { role: "dev" } }));
    this.#isDeveloper = true;
  }
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
