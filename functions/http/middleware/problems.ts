import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { errors } from "../../../contract/api/errors.ts";
import type { Route } from "../../../contract/api/route.ts";
import { ServiceError } from "../../domain/service-error.ts";
import { count } from "../../metrics.ts";
import { StorageUnavailableError } from "../../storage-unavailable-error.ts";
import { log } from "../log.ts";
import { problemResponse } from "../response.ts";

/**
 * Makes a problem response of an error, or the response that `refuse` makes. Logs failures of the service, and why an ID token
 * was refused; counts what the caller did wrong.
 */
export function problems(
  route: Route,
  refuse: typeof problemResponse = problemResponse,
): MiddlewareObj<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2> {
  return {
    onError: (request) => {
      const { requestId } = request.event.requestContext;
      const error = serviceErrorFrom(request.error);
      logFailure(error, { request_id: requestId, route: `${route.method} ${route.path}`, code: error.code });
      // Not returned: then the middlewares that add headers would not run.
      request.response = refuse(route, error, request.event);
    },
  };
}

/** The error that the caller sees. The cause of a StorageUnavailableError is kept for the log. */
function serviceErrorFrom(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof StorageUnavailableError)
    return new ServiceError("temporarily_unavailable", "cause" in error ? { cause: error.cause } : {});
  return new ServiceError("internal_error", { cause: error });
}

function logFailure(
  { code, cause, reason, detail }: ServiceError,
  line: Pick<Parameters<typeof log>[0], "request_id" | "route" | "code">,
): void {
  if (errors[code].status >= 500) {
    log({ ...line, level: code === "internal_error" ? "error" : "warn", message: detail, error: cause });
    return;
  }
  count("Refusals", { refusal: code });
  // So that the log of a misconfigured stage says why it refuses every ID token.
  if (reason !== undefined) log({ ...line, level: "warn", message: "An ID token was refused", reason });
}
