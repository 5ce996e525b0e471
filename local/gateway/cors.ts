import type { IncomingMessage } from "node:http";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { cors } from "../../contract/api/cors.ts";

/*
 * CORS headers like API Gateway's, so that a dashboard on another origin can be developed with the local service:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
 */

/** The response to a preflight request; undefined for every other request. */
export function preflightResponse({ method, headers }: IncomingMessage): APIGatewayProxyStructuredResultV2 | undefined {
  const isPreflight = method === "OPTIONS" && headers.origin && headers["access-control-request-method"];
  if (!isPreflight) return undefined;
  return {
    statusCode: 204,
    headers: {
      "access-control-allow-methods": cors.allowMethods.join(","),
      "access-control-allow-headers": cors.allowHeaders.join(","),
      "access-control-max-age": cors.maxAgeSeconds,
    },
  };
}

/** The headers that let a page read the response to its request. */
export function readableByPages({ headers }: IncomingMessage): Record<string, string> {
  if (headers.origin === undefined) return {};
  return {
    "access-control-allow-origin": cors.allowOrigin,
    "access-control-expose-headers": cors.exposeHeaders.join(","),
  };
}
