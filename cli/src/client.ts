import { randomUUID } from "node:crypto";
import type * as z from "zod/mini";
import { durationUntil } from "../../contract/api/durations.ts";
import type { ErrorCode } from "../../contract/api/errors.ts";
import { headers, idempotencyKeyHeader } from "../../contract/api/headers.ts";
import type { Route } from "../../contract/api/route.ts";
import type { Routes } from "../../contract/api/routes.ts";
import { clockError, serverNow } from "../../contract/api/server-time.ts";
import { optionEndpoints } from "../../options/endpoints.ts";
import { formatApiUrl } from "./api-url.ts";
import { exitCodes, UserError, usageError } from "./errors.ts";
import { NetworkError } from "./http/network-error.ts";
import { ApiError, notTheApi, problem } from "./http/problem.ts";
import { type Patience, type Retry, withRetries } from "./http/retry.ts";
import { type HttpRequest, type HttpResponse, send } from "./http/send.ts";
import { packageVersion } from "./package-version.ts";
import { minute } from "./text.ts";

type MethodAndPath<R extends Route> = `${R["method"]} ${R["path"]}`;
type ResponseOf<R extends Route> = {
  [S in Exclude<keyof R["responses"], 304>]: R["responses"][S] extends z.core.$ZodType
    ? z.output<R["responses"][S]>
    : undefined;
}[Exclude<keyof R["responses"], 304>];

type MemberOf<Body> = [Body] extends [undefined] ? null : keyof Body;

type Endpoint<R extends Route> = R extends { readonly idempotencyKey: true }
  ? readonly [MethodAndPath<R>, MemberOf<ResponseOf<R>>, "creates"]
  : readonly [MethodAndPath<R>, MemberOf<ResponseOf<R>>];

/**
 * The routes that the command line calls: method and path; a member that only this route's response has among other JSON, or null
 * if a success has no body; and whether it takes an idempotency key. The contract's types check it: a changed route does not
 * compile here.
 */
const endpoints = {
  getMe: ["GET /me", "auth"],
  createProject: ["POST /projects", "slug", "creates"],
  listProjects: ["GET /projects", "projects"],
  createRelease: ["POST /projects/:slug/releases", "missing", "creates"],
  createUploads: ["POST /projects/:slug/releases/:id/uploads", "uploads"],
  continueUpload: ["POST /projects/:slug/releases/:id/uploads/:sha256", "stored"],
  publishRelease: ["POST /projects/:slug/releases/:id/publish", "release"],
  openPreview: ["POST /projects/:slug/releases/:id/preview", "preview"],
  listMembers: ["GET /projects/:slug/members", "members"],
  listProjectEvents: ["GET /projects/:slug/events", "events"],
  listPublishers: ["GET /projects/:slug/publishers", "publishers"],
  updatePreview: ["PATCH /projects/:slug/previews/:preview", "preview"],
  deletePreview: ["DELETE /projects/:slug/previews/:preview", "edge"],
  listPreviews: ["GET /projects/:slug/previews", "previews"],
  getProject: ["GET /projects/:slug", "slug"],
  updateProject: ["PATCH /projects/:slug", "slug"],
  unpublishProject: ["POST /projects/:slug/unpublish", "slug"],
  listReleases: ["GET /projects/:slug/releases", "releases"],
  getRelease: ["GET /projects/:slug/releases/:id", "status"],
  ...optionEndpoints,
  compareRelease: ["GET /projects/:slug/releases/:id/changes", "changed_settings"],
  createTelemetryGrant: ["POST /projects/:slug/telemetry-grants", "url"],
  endTelemetryGrant: ["DELETE /projects/:slug/telemetry-grants/:id", null],
  listProfiles: ["GET /projects/:slug/profiles", "profiles"],
  getProfile: ["GET /projects/:slug/profiles/:id", "records"],
  revokeCurrentToken: ["DELETE /tokens/current", null],
} as const satisfies { [N in keyof Routes]?: Endpoint<Routes[N]> };

type Name = keyof typeof endpoints;
export type ResponseTo<N extends Name> = ResponseOf<Routes[N]>;
type ParameterNames<P extends string> = P extends `${string}:${infer Rest}`
  ? Rest extends `${infer Parameter}/${infer Tail}`
    ? Parameter | ParameterNames<Tail>
    : Rest
  : never;
type Params<N extends Name> = { readonly [P in ParameterNames<Routes[N]["path"]>]: string };
type Body<N extends Name> = Routes[N] extends { readonly body: infer B extends z.core.$ZodType } ? z.input<B> : never;

export interface CallOptions<N extends Name> {
  readonly params?: Params<N>;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: Body<N>;
  /** The maximum number of tries, 5 by default: 1 for what a person must not wait for. */
  readonly tries?: number;
  /** Called before a try after one that the API may have received. It throws if the request must not be repeated. */
  beforeRepeat?(): Promise<void>;
}

export interface ClientOptions {
  readonly api: URL;
  /** Undefined: requests carry no token. A function is called for it before each one. */
  readonly token: string | (() => Promise<string>) | undefined;
  /** Shows a warning to the person: a retry, or a token that expires soon. */
  warn(text: string): void;
}

const redirectStatuses = [301, 302, 303, 307, 308];

/** A typed client of the routes of {@link endpoints}. It sends the token to the API's origin only. */
export class Client {
  readonly api: URL;
  readonly #options: ClientOptions;
  readonly #timeoutMilliseconds: number;
  #patience: Patience | undefined;
  #hasWarnedOfClock = false;
  #hasWarnedOfExpiry = false;

  constructor(options: ClientOptions) {
    this.api = options.api;
    this.#options = options;
    this.#timeoutMilliseconds = timeoutMilliseconds(process.env);
  }

  /**
   * Calls a route and returns the body of its success. All tries of a creation have one idempotency key, so it happens once; a deletion
   * that finds nothing after an earlier try of it may have succeeded is a success.
   *
   * @throws ApiError for a response that is no success, NetworkError if no try got a response
   */
  async call<N extends Name>(name: N, options: CallOptions<N> = {}): Promise<ResponseOf<Routes[N]>> {
    const [methodAndPath, member, creates] = endpoints[name];
    const [method, path] = split(methodAndPath);
    const url = this.#url(path, options);
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    const keyed: Record<string, string> = creates ? { [idempotencyKeyHeader]: `"${randomUUID()}"` } : {};
    let mayBeDone = false;
    const attempt = async () => {
      if (mayBeDone) await options.beforeRepeat?.();
      try {
        return await this.#exchange(method, url, { body, headers: keyed });
      } catch (failure) {
        if (mayBeDone && method === "DELETE" && member === null && isGone(failure)) return undefined;
        mayBeDone ||= !(failure instanceof NetworkError && failure.isUnsent);
        throw failure;
      }
    };
    const response = await withRetries(attempt, {
      tries: options.tries ?? 5,
      retryFor: (failure) => retryFor(failure, url),
      patience: this.#patience,
      onRetry: ({ why }, delay) => this.#options.warn(`${why} Trying again in ${(delay / 1_000).toFixed(1)} s.`),
    });
    this.#warnOfClock();
    if (response === undefined) return undefined as ResponseOf<Routes[N]>;
    this.#warnOfExpiry(response);
    return parseResponse(response, url.origin, member) as ResponseOf<Routes[N]>;
  }

  /** From now on, calls wait while the network is away. */
  waitForNetwork(patience: Patience): void {
    this.#patience = patience;
  }

  #url<N extends Name>(path: string, { params = {} as Params<N>, query = {} }: CallOptions<N>): URL {
    const filled = path.replace(/:(\w+)/g, (_, name: string & keyof Params<N>) => segment(name, params[name]));
    const url = new URL(filled.slice(1), this.api);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, value);
    return url;
  }

  /** Sends one request with the token, whatever the response is. The URL must be of the API. */
  async send({
    method,
    url,
    body,
    headers,
  }: Pick<HttpRequest, "method" | "url" | "body" | "headers">): Promise<HttpResponse> {
    if (url.origin !== this.api.origin) throw new Error(`${url.origin} is not the API`);
    const { token } = this.#options;
    const sentToken = typeof token === "function" ? await token() : token;
    return await send({
      method,
      url,
      body,
      headers: {
        accept: "application/json, application/problem+json",
        "user-agent": `svc/${packageVersion} (${process.platform}-${process.arch}; node ${process.version})`,
        ...headers,
        ...(sentToken !== undefined && { authorization: `Bearer ${sentToken}` }),
      },
      timeoutMilliseconds: this.#timeoutMilliseconds,
    });
  }

  /** One try. Follows redirects of a GET within the API's origin. */
  async #exchange(method: string, first: URL, sent: Pick<HttpRequest, "body" | "headers">): Promise<HttpResponse> {
    let url = first;
    for (let redirects = 0; ; redirects += 1) {
      const response = await this.send({ method, url, ...sent });
      if (response.status >= 200 && response.status < 300) return response;
      if (!redirectStatuses.includes(response.status)) throw problem(response, url.origin);
      url = redirectTarget(response, url);
      if (method !== "GET" || redirects >= 5) throw notTheApi(response, first.origin);
    }
  }

  #warnOfClock(): void {
    const error = clockError();
    if (error === undefined || this.#hasWarnedOfClock) return;
    this.#hasWarnedOfClock = true;
    this.#options.warn(
      `This machine's clock is ${error}. svc goes by the clock of ${this.api.origin}; set this one right.`,
    );
  }

  #warnOfExpiry(response: HttpResponse): void {
    const expiresAt = response.headers[headers.tokenExpiresAt];
    if (typeof expiresAt !== "string" || this.#hasWarnedOfExpiry) return;
    this.#hasWarnedOfExpiry = true;
    if (Number.isNaN(Date.parse(expiresAt))) return;
    const when = `in ${durationUntil(expiresAt, serverNow())} (${minute(expiresAt)} UTC)`;
    this.#options.warn(`This token expires ${when}. Replace it in time: svc login, or the dashboard.`);
  }
}

/**
 * A parameter as one segment of a path.
 *
 * @throws UserError (exit code 2) for what takes the path apart, although it is encoded: URLs know `.` and `..` so, and API Gateway
 *   decodes a path twice, before it looks for the route
 */
function segment(name: string, value: string): string {
  if (!/^\.*$|[/%?\\]/.test(value) && value.isWellFormed()) return encodeURIComponent(value);
  throw usageError(
    `${JSON.stringify(value)} cannot be the ${name} of anything: no ${name} has /, \\, % or ?, or dots alone.`,
    {
      code: "invalid_name",
    },
  );
}

function split(methodAndPath: string): [method: string, path: string] {
  const space = methodAndPath.indexOf(" ");
  return [methodAndPath.slice(0, space), methodAndPath.slice(space + 1)];
}

function retryFor(failure: unknown, url: URL): Retry | undefined {
  if (failure instanceof NetworkError) {
    const { isTransient, isUnsent, isLost, message: why } = failure;
    const isLocalRefusal = isUnsent && !isLost && url.protocol === "http:";
    return isTransient && !isLocalRefusal ? { why, isLost } : undefined;
  }
  if (!(failure instanceof ApiError)) return undefined;
  const { status, retryAfterMilliseconds: afterMilliseconds } = failure;
  // An earlier try of this creation, whose response was not waited for, is under way.
  const isUnderWay = failure.code === ("idempotency_key_in_use" satisfies ErrorCode);
  const isRepeatable = isUnderWay || status === 429 || (status >= 500 && status !== 501);
  return isRepeatable ? { why: `${url.origin} responded with ${status}.`, afterMilliseconds } : undefined;
}

/** Whether the API says that there is no such thing, or no more. */
function isGone(failure: unknown): boolean {
  if (!(failure instanceof ApiError)) return false;
  return failure.code.endsWith("_not_found") || failure.code === ("token_revoked" satisfies ErrorCode);
}

function redirectTarget(response: HttpResponse, from: URL): URL {
  let to: URL;
  try {
    to = new URL(response.headers.location ?? "", from);
  } catch {
    throw notTheApi(response, from.origin);
  }
  if (to.origin === from.origin) return to;
  throw new UserError(`${from.origin} redirects to ${to.origin}. Your token is not sent there.`, {
    code: "redirected_elsewhere",
    exitCode: exitCodes.failed,
    status: response.status,
    next: `If that is the right API, log in to it: svc login --api ${formatApiUrl(new URL("/", to))}`,
  });
}

function parseResponse(response: HttpResponse, origin: string, member: string | null): unknown {
  if (member === null && response.status === 204) return undefined;
  try {
    const body: unknown = JSON.parse(response.body.toString("utf8"));
    if (member !== null && typeof body === "object" && body !== null && member in body) return body;
  } catch {}
  throw notTheApi(response, origin);
}

/**
 * Time to wait for a response: SVC_TIMEOUT, which is in seconds; 60 seconds if it is unset or empty.
 *
 * @throws UserError (exit code 2) for anything but a number above 0 and up to 3,600
 */
export function timeoutMilliseconds(environment: NodeJS.ProcessEnv): number {
  const text = environment["SVC_TIMEOUT"]?.trim();
  if (!text) return 60_000;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : 0;
  if (seconds > 0 && seconds <= 3_600) return seconds * 1_000;
  throw usageError("SVC_TIMEOUT must be a number of seconds above 0, up to 3600.", {
    code: "invalid_timeout",
    next: "SVC_TIMEOUT=120 svc …, or unset it for the default of 60 seconds.",
  });
}
