import middy from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { Route } from "../../contract/api/route.ts";
import { type AddedHeaders, responseHeaders } from "./middleware/headers.ts";
import { methods } from "./middleware/methods.ts";
import { problems } from "./middleware/problems.ts";
import type { ParsedRequest } from "./request.ts";
import { lambdaResult, type problemResponse, type ResponseOf } from "./response.ts";

type Result = APIGatewayProxyStructuredResultV2;
export type Handler = (event: APIGatewayProxyEventV2, context: Context) => Promise<Result>;

/** A request that has passed the checks of its route. */
export type RouteRequest<R extends Route> = ParsedRequest<R> & {
  readonly headers: APIGatewayProxyEventV2["headers"];
  readonly receivedAt: Date;
};

/** One call of a function: the event, when it came, and headers to be added to the response, success or failure. */
export interface Call extends AddedHeaders {
  readonly event: APIGatewayProxyEventV2;
  readonly receivedAt: Date;
}

/**
 * Makes the Lambda handler of a route: around the route's own way, what all routes have.
 *
 * @param refuse makes the response of an error, if it is no problem response
 */
export function lambdaHandler<R extends Route>(
  route: R,
  respond: (call: Call) => Promise<ResponseOf<R>>,
  refuse?: typeof problemResponse,
): Handler {
  const handler = middy<APIGatewayProxyEventV2, Result, Error, Context & AddedHeaders>({ timeoutEarlyInMillis: 0 })
    .use(responseHeaders(route))
    .use(problems(route, refuse))
    .use(methods(route))
    .handler(async (event, { addedHeaders }) =>
      lambdaResult(await respond({ event, receivedAt: new Date(), addedHeaders })),
    );
  // Its type asks the caller for what a middleware adds to the context.
  return handler as unknown as Handler;
}
