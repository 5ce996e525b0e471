import type { MiddlewareObj } from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import type { Route } from "../../../contract/api/route.ts";
import { ServiceError } from "../../domain/service-error.ts";
import type { AddedHeaders } from "./headers.ts";

/**
 * Refuses methods that no route of the path has (`method_not_allowed`), and responds to OPTIONS, with the list of methods. API
 * Gateway itself responds to preflight requests and adds the CORS headers.
 */
export function methods(
  route: Route,
): MiddlewareObj<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Error, Context & AddedHeaders> {
  const allow = methodsOf(route).join(", ");
  return {
    before: ({ event, context }) => {
      const { method } = event.requestContext.http;
      if (method === route.method || (method === "HEAD" && route.method === "GET")) return undefined;
      if (method === "OPTIONS") return { statusCode: 204, headers: { allow } };
      context.addedHeaders["allow"] = allow;
      throw new ServiceError("method_not_allowed");
    },
  };
}

/** The methods of a route's path, as its Allow header lists them. Every GET has a HEAD (RFC 9110, section 9.3.2). */
function methodsOf({ method, otherMethods = [] }: Route): string[] {
  return [method, ...otherMethods].flatMap((each) => (each === "GET" ? ["GET", "HEAD"] : each));
}
