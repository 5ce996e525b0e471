import middy from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { errors } from "../../contract/errors.ts";
import type { Route } from "../../contract/route.ts";
import { ServiceError } from "../domain/service-error.ts";
import { log } from "./log.ts";
import type { Parsed } from "./request.ts";
import { problemOf, serviceErrorFrom } from "./response.ts";

type Result = APIGatewayProxyStructuredResultV2;
export type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<Result>;

/** A request that has passed the checks of its route. */
export type Received<R extends Route> = Parsed<R> & {
  readonly headers: APIGatewayProxyEventV2["headers"];
  readonly receivedAt: Date;
};

/** One call of a function: the event, when it came, and headers to be added to the response, success or failure. */
export interface Call {
  readonly event: APIGatewayProxyEventV2;
  readonly receivedAt: Date;
  readonly extraHeaders: Record<string, string>;
}

/** The methods of a route's path, as its Allow header lists them. Every GET has a HEAD (RFC 9110, section 9.3.2). */
function methodsOf({ method, otherMethods = [] }: Route): string[] {
  return [method, ...otherMethods].flatMap((each) => (each === "GET" ? ["GET", "HEAD"] : each));
}

/**
 * Refuses methods that no route of the path has, and responds to OPTIONS with the list of methods. API Gateway itself
 * responds to preflight requests and adds the CORS headers.
 *
 * @returns the response to OPTIONS
 * @throws ServiceError `method_not_allowed`
 */
function otherMethodResponse(route: Route, { event, extraHeaders }: Call): Result | undefined {
  const { method } = event.requestContext.http;
  if (method === route.method || (method === "HEAD" && route.method === "GET")) return undefined;
  extraHeaders["allow"] = methodsOf(route).join(", ");
  if (method === "OPTIONS") return { statusCode: 204 };
  throw new ServiceError("method_not_allowed");
}

/**
 * Makes the Lambda handler of a route. What `respond` throws becomes a problem response, or the response that `refuse` makes.
 * Logs failures of the service, and why an ID token was refused.
 */
export function lambdaHandler(
  route: Route,
  respond: (call: Call) => Promise<Result>,
  refuse: typeof problemOf = problemOf,
): Handler {
  return middy<APIGatewayProxyEventV2, Result>({ timeoutEarlyInMillis: 0 }).handler(async (event) => {
    const call: Call = { event, receivedAt: new Date(), extraHeaders: {} };
    const result = await run(route, call, respond).catch((error: unknown) => failure(route, error, event, refuse));
    return { ...result, headers: { ...result.headers, ...call.extraHeaders } };
  });
}

async function run(route: Route, call: Call, respond: (call: Call) => Promise<Result>): Promise<Result> {
  return otherMethodResponse(route, call) ?? (await respond(call));
}

function failure(
  route: Route,
  thrown: unknown,
  { requestContext: { requestId } }: APIGatewayProxyEventV2,
  refuse: typeof problemOf,
): Result {
  const error = serviceErrorFrom(thrown);
  const { code, cause, reason } = error;
  const line = { request_id: requestId, route: `${route.method} ${route.path}`, code };
  if (errors[code].status >= 500)
    log({ ...line, level: code === "internal_error" ? "error" : "warn", message: error.detail, error: cause });
  // So that the log of a misconfigured stage says why it refuses every ID token.
  else if (reason !== undefined) log({ ...line, level: "warn", message: "An ID token was refused", reason });
  return refuse(route, error, requestId);
}
