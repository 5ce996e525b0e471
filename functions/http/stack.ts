import middy from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { errors } from "../../contract/errors.ts";
import type { Route } from "../../contract/route.ts";
import { log } from "./log.ts";
import { type Parsed, parseBody, parseParameters } from "./request.ts";
import { problemOf, type ResponseOf, resultOf, serviceErrorFrom } from "./response.ts";

/** What every handler gets of a request that has passed the checks of its route. */
export type Received<R extends Route> = Parsed<R> & {
  readonly headers: APIGatewayProxyEventV2["headers"];
  readonly receivedAt: Date;
};

/** API Gateway's event, and what the middlewares add to it one after the other. */
export type Event = Omit<APIGatewayProxyEventV2, "body"> & {
  body?: unknown;
  receivedAt: Date;
  params?: unknown;
  query?: unknown;
  /** Headers that the response gets, success or failure, beyond its own. */
  responseHeaders?: Readonly<Record<string, string>>;
};

type Result = APIGatewayProxyStructuredResultV2;
type Step<E extends Event> = middy.MiddlewareObj<E, Result>;
export type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<Result>;

/**
 * Makes the Lambda handler of a route: parse the parameters, take the given steps, parse the body, run, response. Every
 * refusal and failure on the way becomes a problem response.
 */
export function handlerOf<E extends Event>(
  route: Route,
  steps: readonly Step<E>[],
  run: (request: never) => Promise<unknown>,
): Handler {
  return middy<E, Result>({ timeoutEarlyInMillis: 0 })
    .use([answering(route), parameters(route), ...steps, body(route)] as Step<E>[])
    .handler(run as never) as unknown as Handler;
}

/** Turns what the handler returns, or whatever was thrown, into the HTTP response; what went wrong on our side is logged. */
function answering(route: Route): Step<Event> {
  return {
    before: ({ event }) => {
      event.receivedAt = new Date();
    },
    after: (request) => {
      const { event } = request;
      const response = request.response as unknown as ResponseOf<Route>;
      request.response = withHeaders(resultOf(route, response, event.requestContext.requestId), event);
    },
    onError: (request) => {
      const { event } = request;
      const { requestId } = event.requestContext;
      const error = serviceErrorFrom(request.error);
      if (errors[error.code].status >= 500)
        log({
          level: error.code === "internal_error" ? "error" : "warn",
          message: error.detail,
          request_id: requestId,
          route: `${route.method} ${route.path}`,
          code: error.code,
          error: error.cause,
        });
      request.response = withHeaders(problemOf(route, error, requestId), event);
    },
  };
}

function withHeaders(result: Result, { responseHeaders }: Event): Result {
  return responseHeaders ? { ...result, headers: { ...result.headers, ...responseHeaders } } : result;
}

function parameters(route: Route): Step<Event> {
  return {
    before: ({ event }) => {
      Object.assign(event, parseParameters(route, event as unknown as APIGatewayProxyEventV2));
    },
  };
}

function body(route: Route): Step<Event> {
  return {
    before: ({ event }) => {
      event.body = parseBody(route, event as unknown as APIGatewayProxyEventV2);
    },
  };
}
