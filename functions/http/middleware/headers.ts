import type { MiddlewareObj, Request } from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { headers } from "../../../contract/api/headers.ts";
import type { Route } from "../../../contract/api/route.ts";
import { apiVersion } from "../../../contract/api/version.ts";

type Result = APIGatewayProxyStructuredResultV2;

/** Headers in the context of a call that the way of a request adds to its response, success or failure. */
export interface AddedHeaders {
  readonly addedHeaders: Record<string, string>;
}

type Call = Context & AddedHeaders;

/**
 * Adds the headers of every response, which a response may replace, and those of the context, which replace the response's.
 * Authenticated responses must not be cached. Used before the other middlewares, so that it comes after them.
 */
export function responseHeaders({ credential }: Route): MiddlewareObj<APIGatewayProxyEventV2, Result, Error, Call> {
  const add = (request: Request<APIGatewayProxyEventV2, Result, Error, Call>) => {
    const common = {
      [headers.version]: apiVersion,
      [headers.requestId]: request.event.requestContext.requestId,
      ...(credential !== "none" && { "cache-control": "no-store" }),
    };
    const { response, context } = request;
    request.response = { ...response, headers: { ...common, ...response?.headers, ...context.addedHeaders } };
  };
  return {
    before: ({ context }) => {
      Object.assign(context, { addedHeaders: {} });
    },
    after: add,
    onError: add,
  };
}
