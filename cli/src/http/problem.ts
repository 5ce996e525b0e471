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
  project_not_found: "svc projects list shows yours; svc projects create makes one.",
  release_not_found: "svc releases shows them.",
  current_release_changed: "svc releases shows what is live now.",
};

/** The error for a response that is no success. */
export function problem(response: HttpResponse, origin: string): ApiError {
  const { status } = response;
  const document = parseProblem(response);
  if (document === undefined) return notTheApi(response, origin);
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
