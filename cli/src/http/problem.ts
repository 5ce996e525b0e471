import { ApiError, NetworkError, UnsendableParameter } from "../../../contract/api-error.ts";
import { type ExitCode, exitCodes, UserError, usageError } from "../errors.ts";
import { problemWords } from "./problem-words.ts";

/** A failure in the words of svc, if a person can understand it; undefined for every other one, which is a bug of svc. */
export function asUserError(failure: unknown): UserError | undefined {
  if (failure instanceof UserError) return failure;
  if (failure instanceof ApiError) return refusal(failure);
  if (failure instanceof UnsendableParameter) return usageError(failure.message, { code: "invalid_name" });
  if (!(failure instanceof NetworkError)) return undefined;
  const { message, next, cause } = failure;
  return new UserError(message, { code: "network", cause, ...(next !== undefined && { next }) });
}

/** Whether the API itself refuses the token. A 401 from a proxy has no such code and does not count. */
export function isRefusedToken(failure: unknown): boolean {
  if (!(failure instanceof ApiError) || failure.status !== 401) return false;
  return ["token_revoked", "token_expired", "token_invalid"].includes(failure.code);
}

function refusal(error: ApiError): UserError {
  const { code, status, requestId, cause = error } = error;
  const common = { code, status, cause, ...(requestId !== undefined && { requestId }) };
  if (code === "gateway") return ofGateway(error, common);
  if (code === "unexpected_response") return notTheApi(error, common);
  const words = Object.hasOwn(problemWords, code) ? problemWords[code] : undefined;
  const next = words?.next ?? retryHint(error);
  return new UserError(words?.message ?? error.message, {
    ...common,
    exitCode: code === "validation_failed" ? exitCodes.usage : exitCodeOf(status),
    ...(next !== undefined && { next }),
    places: error.places.map(({ pointer, detail }) => `${pointer.replace(/^\//, "")}: ${detail}`),
  });
}

function retryHint({ retryAfter: after }: ApiError): string | undefined {
  return after === undefined ? undefined : `Try again after ${/^\d+$/.test(after) ? `${after} seconds` : after}.`;
}

/** A status tells what the API decided only if the body is the API's own. */
function exitCodeOf(status: number): ExitCode {
  if (status === 401 || status === 403) return exitCodes.denied;
  if (status === 409 || status === 412) return exitCodes.conflict;
  return exitCodes.failed;
}

type Common = ConstructorParameters<typeof UserError>[1];

/** The error for a response of API Gateway itself. */
function ofGateway(error: ApiError, common: Common): UserError {
  const { status, message, origin } = error;
  const response = gatewayResponses[status];
  if (response === undefined) return notTheApi(error, { ...common, code: "unexpected_response" });
  const [what, next] = response;
  return new UserError(`${origin} ${what} (${status} ${message}).`, { ...common, next: retryHint(error) ?? next });
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

/** The error for a response that is not the API's: it comes from another server, or from a proxy. */
function notTheApi({ status, contentType, origin }: ApiError, common: Common): UserError {
  const what = `${status} and ${contentType ?? "no content type"}`;
  return new UserError(`${origin} responded with ${what}, which is not a response of the svc API.`, {
    ...common,
    next: "Check the API URL (--api or SVC_API), that svc is not older than the API, and whether a proxy or a login page is in between.",
  });
}
