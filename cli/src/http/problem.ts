import { headers } from "../../../contract/headers.ts";
import { type ExitCode, exitCodes, UserError } from "../errors.ts";
import { retryAfterMilliseconds } from "./retry.ts";
import type { HttpResponse } from "./send.ts";

/** A refusal by the API, as its problem+json document tells it (RFC 9457). */
export class ApiError extends UserError {
  override readonly status: number;
  readonly retryAfterMilliseconds: number | undefined;

  constructor(message: string, response: HttpResponse, options: ConstructorParameters<typeof UserError>[1]) {
    super(message, options);
    this.status = response.status;
    this.retryAfterMilliseconds = retryAfterMilliseconds(response.headers["retry-after"], new Date());
  }
}

const nextSteps: Record<string, string> = {
  credential_missing: "svc login",
  token_invalid: "svc login",
  token_revoked: "svc login with a new token, or replace SVC_TOKEN.",
  token_expired: "svc login with a new token, or replace SVC_TOKEN.",
  insufficient_scope:
    "svc whoami shows the token's scopes; create a token with the scope that is missing, then svc login.",
  project_not_in_token: "svc whoami shows the token's projects; use a token that includes this one.",
  project_not_found: "svc projects list shows yours; svc projects create makes one.",
  release_not_found: "svc releases shows them.",
  current_release_changed: "svc releases shows what is live now.",
};

/** The error for a response that is no success. */
export function problem(response: HttpResponse, origin: string): ApiError {
  const { status } = response;
  const document = parseProblem(response);
  if (document === undefined) return fromGateway(response, origin) ?? notTheApi(response, origin);
  const known = Object.hasOwn(nextSteps, document.code) ? nextSteps[document.code] : undefined;
  const next = known ?? retryHint(response);
  return new ApiError(document.detail, response, {
    code: document.code,
    exitCode: exitCodeOf(status),
    status,
    ...(next !== undefined && { next }),
    ...(document.requestId !== undefined && { requestId: document.requestId }),
    places: document.places,
  });
}

function retryHint(response: HttpResponse): string | undefined {
  const after = response.headers["retry-after"];
  return after === undefined ? undefined : `Try again after ${/^\d+$/.test(after) ? `${after} seconds` : after}.`;
}

/** What API Gateway answers by itself: JSON with a `message` alone, before or in place of the API. */
function fromGateway(response: HttpResponse, origin: string): ApiError | undefined {
  const { status } = response;
  const said = gatewayMessage(response);
  const [what, next] = said === undefined ? [] : (gatewayResponses[status] ?? []);
  if (said === undefined || what === undefined || next === undefined) return undefined;
  return new ApiError(`${origin} ${what} (${status} ${said}).`, response, {
    code: "gateway",
    exitCode: exitCodeOf(status),
    status,
    next: retryHint(response) ?? next,
  });
}

/** By status: what that means, and what to do. */
const gatewayResponses: Record<number, readonly [what: string, next: string]> = {
  403: ["refused the request before the API saw it", "Check the address (--api or SVC_API), its path too."],
  404: [
    "has no such route",
    "Check the address (--api or SVC_API), its path too, and whether svc is newer than the API.",
  ],
  413: ["takes no request of this size", "Publish fewer files: pack small ones together."],
  429: ["is getting more requests than it takes", "Try again in a minute."],
  500: ["failed", "Try again; if it stays, tell whoever runs the API."],
  502: ["failed", "Try again; if it stays, tell whoever runs the API."],
  503: [
    "did not get an answer from its functions in time",
    "Try again in a minute; if it stays, tell whoever runs the API.",
  ],
  504: [
    "did not get an answer from its functions in time",
    "Try again in a minute; if it stays, tell whoever runs the API.",
  ],
};

function gatewayMessage({ headers: received, body }: HttpResponse): string | undefined {
  if (!/^application\/json\b/.test(received["content-type"] ?? "")) return undefined;
  try {
    const document: unknown = JSON.parse(body.toString("utf8"));
    if (typeof document !== "object" || document === null || !("message" in document)) return undefined;
    return Object.keys(document).length === 1 ? String(document.message) : undefined;
  } catch {
    return undefined;
  }
}

function exitCodeOf(status: number): ExitCode {
  if (status === 401 || status === 403) return exitCodes.denied;
  if (status === 409 || status === 412) return exitCodes.conflict;
  return exitCodes.failed;
}

/** The error for a response that the API would not give: another server is there, or something between. */
export function notTheApi(response: HttpResponse, origin: string): ApiError {
  const type = response.headers["content-type"]?.split(";")[0] ?? "no content type";
  const requestId = single(response.headers[headers.requestId]);
  return new ApiError(
    `${origin} answered ${response.status} with ${type}, which is not a response of the svc API.`,
    response,
    {
      code: "unexpected_answer",
      exitCode: exitCodeOf(response.status),
      status: response.status,
      next: "Check the address (--api or SVC_API); a proxy or a login page may stand in between.",
      ...(requestId !== undefined && { requestId }),
    },
  );
}

interface Problem {
  readonly code: string;
  readonly detail: string;
  readonly requestId: string | undefined;
  readonly places: readonly string[];
}

function parseProblem({ headers: received, body }: HttpResponse): Problem | undefined {
  if (!/^application\/(problem\+)?json\b/.test(received["content-type"] ?? "")) return undefined;
  try {
    const { code, detail, request_id, errors } = JSON.parse(body.toString("utf8"));
    if (typeof code !== "string" || typeof detail !== "string") return undefined;
    return {
      code,
      detail,
      requestId: typeof request_id === "string" ? request_id : undefined,
      places: Array.isArray(errors) ? errors.map(({ pointer, detail: why }) => `${pointer}: ${why}`) : [],
    };
  } catch {
    return undefined;
  }
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
