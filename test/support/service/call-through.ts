import middy, { type MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { AddedHeaders } from "../../../functions/http/middleware/headers.ts";

type Result = APIGatewayProxyStructuredResultV2;

/** Calls a function with middlewares around it. */
export async function callThrough(
  // biome-ignore lint/suspicious/noExplicitAny: as middy's own use() takes middlewares of any context
  middlewares: MiddlewareObj<any, any, any, any>[],
  handler: (context: AddedHeaders) => Promise<Result>,
  method = "GET",
): Promise<Result> {
  const event = { requestContext: { requestId: "r1", http: { method } } } as APIGatewayProxyEventV2;
  const context = {} as Context & AddedHeaders;
  const wrapped = middy<APIGatewayProxyEventV2, Result, Error, Context & AddedHeaders>()
    .use(middlewares)
    .handler(async (_, context) => handler(context));
  return (await wrapped(event, context, {} as never)) as Result;
}
