import { headers } from "../../../contract/api/headers.ts";
import { type ExitCode, exitCodes, UserError } from "../errors.ts";
import { problemWords } from "./problem-words.ts";
import { retryAfterMilliseconds } from "./retry.ts";
import type { HttpResponse } from "./send.ts";

/** A response of the API that is no success, usually a problem+json document (RFC 9457). */
export class ApiError extends UserError {
  override readonly status: number;
  readonly retryAfterMilliseconds: number | undefined;

  constructor(message: string, response: HttpResponse, options: ConstructorParameters<typeof UserError>[1]) {
    super(message, options);
    this.status = response.status;
    this.retryAfterMilliseconds = retryAfterMilliseconds(response.headers);
  }
}

/** Whether the API itself refuses the token. A 401 from a proxy has no such code and does not count. */
export function isRefusal({ status, code }: UserError): boolean {
  return status === 401 && ["token_revoked", "token_expired", "token_invalid"].includes(code);
}

/** Makes the error for a response that is no success. */
export function problem(response: HttpResponse, origin: string): ApiError {
  const { status } = response;
  const document = parseProblem(response);
  if (document === undefined) return fromGateway(response, origin) ?? notTheApi(response, origin);
  const words = Object.hasOwn(problemWords, document.code) ? problemWords[document.code] : undefined;
  const next = words?.next ?? retryHint(response);
  return new ApiError(words?.message ?? document.detail, response, {
    code: document.code,
    exitCode: document.code === "validation_failed" ? exitCodes.usage : exitCodeOf(status),
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

/** A status tells what the API decided only if the body is the API's own. */
function exitCodeOf(status: number): ExitCode {
  if (status === 401 || status === 403) return exitCodes.denied;
  if (status === 409 || status === 412) return exitCodes.conflict;
  return exitCodes.failed;
}

/** The error for a response of API Gateway itself: JSON with a `message` only. Undefined for any other. */
function fromGateway(response: HttpResponse, origin: string): ApiError | undefined {
  const { status } = response;
  const said = gatewayMessage(response);
  const [what, next] = said === undefined ? [] : (gatewayResponses[status] ?? []);
  if (said === undefined || what === undefined || next === undefined) return undefined;
  return new ApiError(`${origin} ${what} (${status} ${said}).`, response, {
    code: "gateway",
    status,
    next: retryHint(response) ?? next,
  });
}

const elseReport = "if it fails again, report it to the operator of the API.";

/** By status: what happened, and what to do. */
const gatewayResponses: Record<number, readonly [what: string, next: string]> = {
  403: ["refused the request before it reached the API", "Check the API URL (--api or SVC_API), its path too."],
  404: [
    "has no such route",
    "Check the API URL (--api or SVC_API), its path too, and whether svc is newer than the API.",
  ],
  413: ["refuses a request of this size", "Publish fewer files: pack small ones together."],
  429: ["gets too many requests at the moment", "Try again in a minute."],
  500: ["failed", `Try again; ${elseReport}`],
  502: ["failed", `Try again; ${elseReport}`],
  503: ["got no response from its functions in time", `Try again in a minute; ${elseReport}`],
  504: ["got no response from its functions in time", `Try again in a minute; ${elseReport}`],
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

/** The error for a response that is not the API's: it comes from another server, or from a proxy. */
export function notTheApi(response: HttpResponse, origin: string): ApiError {
  const type = response.headers["content-type"]?.split(";")[0] ?? "no content type";
  const requestId = single(response.headers[headers.requestId]);
  return new ApiError(
    `${origin} responded with ${response.status} and ${type}, which is not a response of the svc API.`,
    response,
    {
      code: "unexpected_response",
      status: response.status,
      next: "Check the API URL (--api or SVC_API), and whether a proxy or a login page is in between.",
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
      places: Array.isArray(errors)
        ? errors.map(({ pointer, detail: why }) => `${String(pointer).replace(/^\//, "")}: ${why}`)
        : [],
    };
  } catch {
    return undefined;
  }
}

function single(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
