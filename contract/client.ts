import type * as z from "zod/mini";
import { idempotencyKeyHeader } from "./api/headers.ts";
import type { RouteName, Routes } from "./api/routes.ts";
import {
  ApiError,
  type ApiResponse,
  errorOf,
  jsonIn,
  NetworkError,
  UnsendableParameter,
  unexpectedResponse,
} from "./api-error.ts";
import {
  isUnhandled,
  lastResponse,
  type Patience,
  type Retry,
  type RetryOptions,
  retryFor,
  unlessAborted,
  withRetries,
} from "./retries.ts";

type Responses<Name extends RouteName> = Routes[Name]["responses"];

/** The body of a route's successful response; undefined if it has none. */
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
export type RequestLine = RequestLines[RouteName];
type NameOf<Line extends RequestLine> = {
  [Name in RouteName]: RequestLines[Name] extends Line ? Name : never;
}[RouteName];

type ParameterNames<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Parameter}/${infer Tail}`
    ? Parameter | ParameterNames<Tail>
    : Rest
  : never;
type Params<Name extends RouteName> = { readonly [P in ParameterNames<Routes[Name]["path"]>]: string };

/**
 * Parts of a request of a route. `creates` (it takes an idempotency key) and `empty` (its success has no body) do not compile if the
 * contract says otherwise.
 */
export type Call<Name extends RouteName> = AnyCall<Name> &
  ([keyof Params<Name>] extends [never] ? unknown : { readonly params: Params<Name> }) &
  (Routes[Name] extends { readonly idempotencyKey: true } ? { readonly creates: true } : { readonly creates?: never }) &
  (ResponseBody<Name> extends undefined ? { readonly empty: true } : { readonly empty?: never });

/** Optional if nothing of it is required. */
type CallArguments<Line extends RequestLine> =
  object extends Call<NameOf<Line>> ? [call?: Call<NameOf<Line>>] : [call: Call<NameOf<Line>>];

interface AnyCall<Name extends RouteName> {
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: RequestBody<Name>;
  /** The ETag that the resource must still have; null asks for nothing. */
  readonly ifMatch?: string | null;
  /** The maximum number of tries: 1 for what a person must not wait for. */
  readonly tries?: number;
  /** Called before a try after one that the API may have handled. It throws if the request must not be repeated. */
  beforeRepeat?(): Promise<void>;
}

/** One request as it is sent, without its credential. */
export interface ApiRequest {
  readonly method: string;
  /** With its parameters and query. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Whether redirects within the API are followed; otherwise the redirect is the response. */
  readonly follows?: boolean;
}

/** What a client needs of the program that it is in. */
export interface ClientPorts {
  /** The API's URL, whose path ends with a slash. */
  readonly api: URL;
  /**
   * Sends one request and reads the whole response, whatever its status.
   *
   * @throws NetworkError if no complete response came
   */
  fetch(request: ApiRequest): Promise<ApiResponse>;
  /** The bearer token of the next request; undefined: none. */
  credential(): Promise<string | undefined>;
  /** Another one, after the API has refused a request so; undefined: the request fails. */
  otherCredential?(refusal: ApiError): Promise<string | undefined>;
  /** Called before the first try of a request. */
  prepare?(line: RequestLine): Promise<void>;
  /** The maximum number of tries of a request. */
  readonly tries: number;
  onRetry?(retry: Retry, delayMilliseconds: number): void;
  /** Called with the success of a route, before it is used. */
  onSuccess?(line: RequestLine, response: ApiResponse): void;
}

/** Requests that may have been handled, although nobody knows: what the next ones of the same begin with. */
interface Uncertain {
  /** The idempotency keys of creations, by what was sent. */
  readonly keys: Map<string, string>;
  /** The URLs of deletions. */
  readonly deletions: Set<string>;
}

/** A response with its ETag, if it has one. */
export interface Validated<Body> {
  readonly body: Body;
  readonly etag: string | null;
}

/** A typed client of the API, for every program: it has one rule each for URLs, retries, idempotency keys, lost deletions and errors. */
export class Client {
  readonly #ports: ClientPorts;
  readonly #patience: Patience | undefined;
  readonly #uncertain: Uncertain;

  constructor(
    ports: ClientPorts,
    patience?: Patience,
    uncertain: Uncertain = { keys: new Map(), deletions: new Set() },
  ) {
    this.#ports = ports;
    this.#patience = patience;
    this.#uncertain = uncertain;
  }

  get api(): URL {
    return this.#ports.api;
  }

  /** The same client for requests that wait while the network is away, and whose responses nobody waits for once its signal aborts. */
  withPatience(patience: Patience): Client {
    return new Client(this.#ports, patience, this.#uncertain);
  }

  /** The same client for requests for which nobody waits. */
  withOneTry(): Client {
    return new Client({ ...this.#ports, tries: 1 }, undefined, this.#uncertain);
  }

  /**
   * Calls a route and returns the body of its success. The same creation has one idempotency key until its outcome is known, so it
   * happens once; a deletion that finds nothing after the same one may have succeeded is a success.
   *
   * @throws ApiError for a response that is no success, NetworkError if no try got a response, UnsendableParameter
   */
  async call<Line extends RequestLine>(line: Line, ...call: CallArguments<Line>): Promise<ResponseBody<NameOf<Line>>> {
    return (await this.read(line, ...call)).body;
  }

  /** The same, with the ETag of the response. */
  async read<Line extends RequestLine>(
    line: Line,
    ...[given]: CallArguments<Line>
  ): Promise<Validated<ResponseBody<NameOf<Line>>>> {
    const call: Untyped = given ?? {};
    await this.#ports.prepare?.(line);
    return this.#validated(line, call, await this.#exchange(line, call));
  }

  /** The same of a GET, unless it is as the program has it: undefined then. @param etag of what it has; null: nothing */
  async reread<Line extends RequestLine & `GET ${string}`>(
    line: Line,
    etag: string | null,
    ...[given]: CallArguments<Line>
  ): Promise<Validated<ResponseBody<NameOf<Line>>> | undefined> {
    const call: Untyped = { ...given, ifNoneMatch: etag };
    await this.#ports.prepare?.(line);
    const response = await this.#exchange(line, call);
    return response?.status === notModified ? undefined : this.#validated(line, call, response);
  }

  #validated<Line extends RequestLine>(
    line: Line,
    call: Untyped,
    response: ApiResponse | undefined,
  ): Validated<ResponseBody<NameOf<Line>>> {
    if (response === undefined) return { body: {} as ResponseBody<NameOf<Line>>, etag: null };
    const body = call.empty ? undefined : jsonIn(response);
    if (call.empty ? response.status !== 204 : body === undefined) throw unexpectedResponse(response, this.#ports.api);
    this.#ports.onSuccess?.(line, response);
    return { body: body as ResponseBody<NameOf<Line>>, etag: response.header("etag") ?? null };
  }

  /**
   * Sends a request that no route's types describe, and returns its response, whatever that is. It is repeated if that is the same as
   * sending it once, or if nothing has handled it.
   *
   * @throws NetworkError if no try got a response
   */
  async send(request: ApiRequest): Promise<ApiResponse> {
    const isIdempotent = ["GET", "HEAD", "PUT"].includes(request.method) || idempotencyKeyHeader in request.headers;
    const send = async () => await this.#send(request, await this.#ports.credential());
    const ifHarmless = (failure: unknown) => (isIdempotent || isUnhandled(failure) ? retryFor(failure) : undefined);
    return await lastResponse(send, request.url, { ...this.#retries, retryFor: ifHarmless });
  }

  get #retries(): RetryOptions {
    const { onRetry } = this.#ports;
    return { tries: this.#patience?.tries ?? this.#ports.tries, onRetry, patience: this.#patience };
  }

  /** @returns undefined for a deletion that an earlier one has done */
  async #exchange(line: RequestLine, call: Untyped): Promise<ApiResponse | undefined> {
    const request = requestOf(this.#ports.api, line, call);
    if (request.method === "DELETE") return await this.#delete(line, request, call);
    if (call.creates) return await this.#create(request, call);
    return await this.#repeat(call, () => this.#authorized(request));
  }

  async #create(request: ApiRequest, call: Untyped): Promise<ApiResponse> {
    const { keys } = this.#uncertain;
    const creation = `${request.url.href} ${request.body}`;
    const key = keys.get(creation) ?? crypto.randomUUID();
    keys.set(creation, key);
    const headers = { ...request.headers, [idempotencyKeyHeader]: `"${key}"` };
    try {
      const created = await this.#repeat(call, () => this.#authorized({ ...request, headers }));
      keys.delete(creation);
      return created;
    } catch (failure) {
      if (failure instanceof ApiError && failure.code === "idempotency_result_gone") keys.delete(creation);
      throw failure;
    }
  }

  async #delete(line: RequestLine, request: ApiRequest, call: Untyped): Promise<ApiResponse | undefined> {
    const { deletions } = this.#uncertain;
    const { href } = request.url;
    return await this.#repeat(call, async () => {
      const mayBeDone = deletions.delete(href);
      try {
        return await this.#authorized(request);
      } catch (failure) {
        if (mayBeDone && isGone(failure, line)) return undefined;
        if (isUncertain(failure) || (mayBeDone && isUnhandled(failure))) deletions.add(href);
        throw failure;
      }
    });
  }

  async #repeat<T>({ beforeRepeat, tries = this.#retries.tries }: Untyped, attempt: () => Promise<T>): Promise<T> {
    let mayBeDone = false;
    const signal = this.#patience?.signal;
    const guarded = async () => {
      signal?.throwIfAborted();
      if (mayBeDone) await beforeRepeat?.();
      try {
        return await (signal ? unlessAborted(attempt(), signal) : attempt());
      } catch (failure) {
        mayBeDone ||= !isUnhandled(failure);
        throw failure;
      }
    };
    return await withRetries(guarded, { ...this.#retries, tries });
  }

  /** Sends a request, and once more if the API wants another credential. */
  async #authorized(request: ApiRequest): Promise<ApiResponse> {
    const { credential, otherCredential } = this.#ports;
    const response = await this.#send(request, await credential());
    if (isSuccess(response)) return response;
    const refusal = errorOf(response, request.url);
    const other = await otherCredential?.(refusal);
    if (other === undefined) throw refusal;
    const again = await this.#send(request, other);
    if (!isSuccess(again)) throw errorOf(again, request.url);
    return again;
  }

  async #send(request: ApiRequest, credential: string | undefined): Promise<ApiResponse> {
    const { api, fetch } = this.#ports;
    if (request.url.origin !== api.origin) throw new Error(`${request.url.origin} is not the API`);
    const authorization = credential !== undefined && { authorization: `Bearer ${credential}` };
    return await fetch({ ...request, headers: { ...request.headers, ...authorization } });
  }
}

/** A call of any route. */
interface Untyped extends Omit<AnyCall<RouteName>, "body"> {
  readonly params?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly creates?: true | undefined;
  readonly empty?: true | undefined;
  /** The ETag of what the program has. */
  readonly ifNoneMatch?: string | null;
}

function requestOf(
  api: URL,
  line: RequestLine,
  { params = {}, query = {}, body, ifMatch, ifNoneMatch }: Untyped,
): ApiRequest {
  const [method = "", path = ""] = line.split(" ");
  const filled = path.replace(/:(\w+)/g, (_, name: string) => segment(name, params[name] ?? ""));
  const url = new URL(filled.slice(1), api);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
  const headers = {
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(ifMatch && { "if-match": ifMatch }),
    ...(ifNoneMatch && { "if-none-match": ifNoneMatch }),
  };
  return {
    method,
    url,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    follows: method === "GET",
  };
}

/**
 * A parameter as one segment of a path.
 *
 * @throws UnsendableParameter for what takes the path apart, although it is encoded: URLs know `.` and `..` so, and API Gateway
 *   decodes a path twice, before it looks for the route
 */
function segment(name: string, value: string): string {
  if (!/^\.*$|[/%?\\]/.test(value) && value.isWellFormed()) return encodeURIComponent(value);
  throw new UnsendableParameter(name, value);
}

/** Only a conditional request has it (RFC 9110, section 15.4.5). */
const notModified = 304;

function isSuccess({ status }: ApiResponse): boolean {
  return (status >= 200 && status < 300) || status === notModified;
}

/** Whether nobody knows if the API has done what a request says. */
function isUncertain(failure: unknown): boolean {
  return failure instanceof NetworkError ? !failure.isUnsent : failure instanceof ApiError && failure.status >= 500;
}

/** Whether the API says that there is no such thing, or no more. */
function isGone(failure: unknown, line: RequestLine): boolean {
  if (!(failure instanceof ApiError)) return false;
  const { code } = failure;
  if (line === "DELETE /tokens/current") return code === "token_revoked";
  return code.endsWith("_not_found") && code !== "route_not_found";
}
