import type { ErrorCode } from "./api/errors.ts";
import { headers } from "./api/headers.ts";
import { retryAfterMilliseconds } from "./api/time/server-time.ts";

/** A whole response, whatever its status. */
export interface ApiResponse {
  readonly status: number;
  /** A header by its name in small letters. */
  header(name: string): string | null | undefined;
  readonly body: string;
  /** The same, if the port keeps it: the body of a file is not always text. */
  readonly bytes?: Uint8Array;
}

interface Refusal {
  readonly code: ApiError["code"];
  readonly detail: string;
  readonly status?: number;
  readonly places?: ApiError["places"];
  readonly requestId?: string | undefined;
  readonly origin?: string;
  readonly cause?: unknown;
  readonly contentType?: string | undefined;
  readonly challenge?: string | undefined;
  readonly retryAfter?: string | undefined;
  readonly retryAfterMilliseconds?: number | undefined;
}

/** A response of the API that is no success. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /**
   * The code of a problem document (RFC 9457), also of a newer API; `gateway`: API Gateway refused the request by itself;
   * `unexpected_response`: an API of svc does not respond so.
   */
  readonly code: ErrorCode | "gateway" | "unexpected_response";
  readonly status: number;
  /** Invalid places of the request. */
  readonly places: readonly { readonly pointer: string; readonly detail: string }[];
  readonly requestId: string | undefined;
  /** The origin of who responded. */
  readonly origin: string;
  readonly contentType: string | undefined;
  /** The server's WWW-Authenticate, as it is. */
  readonly challenge: string | undefined;
  /** The server's Retry-After, as it is. */
  readonly retryAfter: string | undefined;
  readonly retryAfterMilliseconds: number | undefined;

  constructor({ code, detail, status = 0, places = [], ...others }: Refusal) {
    super(detail, { cause: others.cause });
    this.code = code;
    this.status = status;
    this.places = places;
    this.requestId = others.requestId;
    this.origin = others.origin ?? "";
    this.contentType = others.contentType;
    this.challenge = others.challenge;
    this.retryAfter = others.retryAfter;
    this.retryAfterMilliseconds = others.retryAfterMilliseconds;
  }

  /** Problem with one field of the request. */
  at(pointer: string): string | undefined {
    return this.places.find((place) => isWithin(place.pointer, pointer))?.detail;
  }
}

/** Whether a JSON Pointer is another one, or leads into what that one means. */
export function isWithin(pointer: string, outer: string): boolean {
  return pointer === outer || pointer.startsWith(`${outer}/`);
}

interface Loss {
  readonly next?: string | undefined;
  /** A host that is not the API. */
  readonly host?: string;
  readonly isTransient: boolean;
  readonly isUnsent: boolean;
  readonly isLost?: boolean;
  readonly cause?: unknown;
}

/** No response came. The server may have handled the request. */
export class NetworkError extends Error {
  override readonly name = "NetworkError";
  /** Advice of the port that sent the request. */
  readonly next: string | undefined;
  /** The host, if it is not the API. */
  readonly host: string | undefined;
  /** Whether a retry can succeed. */
  readonly isTransient: boolean;
  /** Whether the server certainly did not get the request. */
  readonly isUnsent: boolean;
  /** Whether the network is away, and not this server alone. */
  readonly isLost: boolean;

  constructor(message: string, { next, host, isTransient, isUnsent, isLost = false, cause }: Loss) {
    super(message, { cause });
    this.next = next;
    this.host = host;
    this.isTransient = isTransient;
    this.isUnsent = isUnsent;
    this.isLost = isLost;
  }
}

/** A value that cannot be a parameter of a path, so that no request was sent. */
export class UnsendableParameter extends Error {
  override readonly name = "UnsendableParameter";
  readonly parameter: string;
  readonly value: string;

  constructor(parameter: string, value: string) {
    super(
      `${JSON.stringify(value)} cannot be the ${parameter} of anything: no ${parameter} has /, \\, % or ?, or dots alone.`,
    );
    this.parameter = parameter;
    this.value = value;
  }
}

/** The error for a response that is no success: a problem document, API Gateway's own refusal, or what no API of svc sends. */
export function errorOf(response: ApiResponse, { origin }: Pick<URL, "origin">): ApiError {
  const body = jsonIn(response) ?? {};
  const { code, detail, message, request_id: id, errors } = body;
  const common = { ...commonOf(response), origin };
  if (typeof code === "string" && typeof detail === "string") {
    const places = Array.isArray(errors) ? errors.map(placeOf) : [];
    const requestId = typeof id === "string" ? id : undefined;
    return new ApiError({ ...common, code: code as ErrorCode, detail, places, requestId });
  }
  // API Gateway's own refusals have a message and nothing else.
  if (message !== undefined && Object.keys(body).length === 1)
    return new ApiError({ ...common, code: "gateway", detail: String(message) });
  return unexpectedResponse(response, { origin });
}

/**
 * The error for a response that is not the API's: it comes from another server, or from a proxy.
 *
 * @param cause what failed that used the response
 */
export function unexpectedResponse(response: ApiResponse, { origin }: Pick<URL, "origin">, cause?: unknown): ApiError {
  const requestId = response.header(headers.requestId) ?? undefined;
  const detail = `${origin} responded with ${response.status}.`;
  return new ApiError({ ...commonOf(response), code: "unexpected_response", detail, requestId, origin, cause });
}

function commonOf({ status, header }: ApiResponse) {
  const retryAfter = header("retry-after") ?? undefined;
  const contentType = header("content-type")?.split(";")[0];
  const challenge = header("www-authenticate") ?? undefined;
  return { status, contentType, challenge, retryAfter, retryAfterMilliseconds: retryAfterMilliseconds(header) };
}

/** The JSON object that a body is; undefined if it is none. */
export function jsonIn({ body }: Pick<ApiResponse, "body">): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function placeOf(place: unknown) {
  const { pointer, detail } = (place ?? {}) as { pointer?: unknown; detail?: unknown };
  return { pointer: String(pointer), detail: String(detail) };
}
