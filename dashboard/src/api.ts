import type * as z from "zod/mini";
import type { Problem } from "../../contract/api/problem.ts";
import type { RouteName, Routes } from "../../contract/api/routes.ts";
import { noteServerTime, timeOfResponse } from "../../contract/api/server-time.ts";
import { ApiError } from "./api-error.ts";
import type { Session } from "./session.ts";

type Responses<Name extends RouteName> = Routes[Name]["responses"];

/** The body of a route's successful response. */
export type ResponseBody<Name extends RouteName> = {
  [Status in Exclude<keyof Responses<Name>, 304>]: Responses<Name>[Status] extends z.core.$ZodType
    ? z.output<Responses<Name>[Status]>
    : undefined;
}[Exclude<keyof Responses<Name>, 304>];

/** The body of a route's request. */
export type RequestBody<Name extends RouteName> = Routes[Name] extends { body: infer Schema extends z.core.$ZodType }
  ? z.input<Schema>
  : never;

type RequestLines = { readonly [Name in RouteName]: `${Routes[Name]["method"]} ${Routes[Name]["path"]}` };

/** The method and the path of a route: `GET /projects/:slug`. */
type RequestLine = RequestLines[RouteName];
type NameOf<Line extends RequestLine> = {
  [Name in RouteName]: RequestLines[Name] extends Line ? Name : never;
}[RouteName];

/** Parts of a request of a route. `creates` does not compile if the contract says otherwise. */
type Call<Name extends RouteName> = AnyCall<Name> &
  (Routes[Name] extends { readonly idempotencyKey: true } ? { readonly creates: true } : unknown);

interface AnyCall<Name extends RouteName> {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: RequestBody<Name>;
  /** The ETag that the resource must still have; null asks for nothing. */
  readonly ifMatch?: string | null;
}

/** A response with its ETag, if it has one. */
export interface Validated<Body> {
  readonly body: Body;
  readonly etag: string | null;
}

/** Calls the API as the person who is signed in. */
export class Api {
  readonly #origin: string;
  readonly #session: Session;
  readonly #onDeveloper: (account: ResponseBody<"createSession">) => void;
  /** The idempotency keys of creations whose outcome is not known, by what was sent. */
  readonly #keys = new Map<string, string>();

  /** Undefined until the person's account is known. */
  #isDeveloper: boolean | undefined;

  /** The deletions whose outcome is not known, by their URLs. */
  readonly #deletions = new Set<string>();

  /** @param onDeveloper called once the person has become a developer */
  constructor(
    origin: string,
    session: Session,
    onDeveloper: (account: ResponseBody<"createSession">) => void = () => {},
  ) {
    this.#origin = origin;
    this.#session = session;
    this.#onDeveloper = onDeveloper;
  }

  /**
   * If the ID token has expired, or its sign-in is too old for this call, it waits until the person has signed in again.
   * Somebody's first creation or approval makes them a developer. Creations have an idempotency key; if nobody knows whether one happened, the same creation has the same key when
   * the person tries again. A deletion that finds nothing is a success if nobody knows whether an earlier one of the same was.
   *
   * @throws ApiError
   */
  async call<Line extends RequestLine>(line: Line, call?: Call<NameOf<Line>>): Promise<ResponseBody<NameOf<Line>>> {
    const request = this.#requestOf(line, call);
    if (request.method === "DELETE") return await this.#delete(request);
    if (request.method === "POST" && line !== "POST /auth/session" && !this.mayBeDeveloper)
      await this.becomeDeveloper();
    if (!(call && "creates" in call)) return await bodyOf(await this.#exchange(request));
    const creation = `${request.url} ${request.body}`;
    const key = this.#keys.get(creation) ?? crypto.randomUUID();
    this.#keys.set(creation, key);
    try {
      const created = await bodyOf<NameOf<Line>>(await this.#exchange({ ...request, key }));
      this.#keys.delete(creation);
      return created;
    } catch (error) {
      if (error instanceof ApiError && error.code === "idempotency_result_gone") this.#keys.delete(creation);
      throw error;
    }
  }

  /** Whether to request projects and tokens, which only a developer has. */
  get mayBeDeveloper(): boolean {
    return this.#isDeveloper !== false;
  }

  /** Signs the person in, who has an account then. @throws ApiError */
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

  /** Reads what is to be edited, with its ETag. */
  async read<Line extends RequestLine>(
    line: Line,
    call?: Call<NameOf<Line>>,
  ): Promise<Validated<ResponseBody<NameOf<Line>>>> {
    const response = await this.#exchange(this.#requestOf(line, call));
    return { body: await bodyOf(response), etag: response.headers.get("etag") };
  }

  async #delete<Name extends RouteName>(request: ApiRequest): Promise<ResponseBody<Name>> {
    const mayBeDone = this.#deletions.delete(request.url);
    try {
      return await bodyOf<Name>(await this.#exchange(request));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (mayBeDone && error.code.endsWith("_not_found")) return {} as ResponseBody<Name>;
      if (["unreachable", "temporarily_unavailable", "internal_error"].includes(error.code))
        this.#deletions.add(request.url);
      throw error;
    }
  }

  async #exchange(request: ApiRequest): Promise<Response> {
    const response = await send(request, await this.#session.idToken());
    if (response.ok) return response;
    const error = await errorOf(response);
    const idToken = await this.#betterIdToken(error);
    if (idToken === undefined) throw error;
    const again = await send(request, idToken);
    if (!again.ok) throw await errorOf(again);
    return again;
  }

  /** Another ID token, if that is what the API asks for; undefined if the person does not sign in. */
  async #betterIdToken({ code }: ApiError): Promise<string | undefined> {
    if (code === "recent_sign_in_required") return await this.#session.recentIdToken();
    return code.startsWith("id_token_") ? await this.#session.freshIdToken() : undefined;
  }

  #requestOf<Name extends RouteName>(
    line: RequestLine,
    { params = {}, query = {}, body, ifMatch }: AnyCall<Name> = {},
  ): ApiRequest {
    const [method = "", path = ""] = line.split(" ");
    const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
    const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
    const search = given.length > 0 ? `?${new URLSearchParams(given)}` : "";
    return { method, url: `${this.#origin}${filled}${search}`, body: body && JSON.stringify(body), ifMatch };
  }
}

interface ApiRequest {
  readonly method: string;
  readonly url: string;
  readonly body: string | undefined;
  readonly ifMatch: string | null | undefined;
  /** The idempotency key. */
  readonly key?: string;
}

async function send({ method, url, body, ifMatch, key }: ApiRequest, idToken: string) {
  const headers = {
    authorization: `Bearer ${idToken}`,
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(ifMatch && { "if-match": ifMatch }),
    ...(key !== undefined && { "idempotency-key": `"${key}"` }),
  };
  const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) }).catch(lost);
  noteServerTime(timeOfResponse(response.headers.get("date"), response.headers.get("age")));
  return response;
}

function lost(): never {
  const detail = "The service cannot be reached. Check your connection, then try again.";
  throw new ApiError({ code: "unreachable", detail });
}

async function bodyOf<Name extends RouteName>(response: Response): Promise<ResponseBody<Name>> {
  return (response.status === 204 ? undefined : await response.json().catch(lost)) as ResponseBody<Name>;
}

/** API Gateway's own refusals are not problem documents. */
async function errorOf(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as Partial<Problem>;
  if (body.code !== undefined && body.detail !== undefined) return new ApiError(body as Problem);
  if (response.status === 413) return new ApiError({ code: "payload_too_large", detail: "" });
  const detail =
    response.status === 429
      ? "Too many requests. Wait a few seconds, then try again."
      : `The service has trouble (status ${response.status}). Try again in a minute.`;
  return new ApiError({ code: response.status === 429 ? "too_many_requests" : "temporarily_unavailable", detail });
}
