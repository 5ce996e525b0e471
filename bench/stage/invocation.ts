import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import { type RouteName, routes } from "../../contract/routes.ts";
import { matchRoute } from "../../local/gateway-routes.ts";

/** A request of a client, as it goes over HTTP or as an event into a function. */
export interface ApiRequest {
  /** With its query, percent-encoded. */
  readonly path: string;
  readonly credential?: string | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** The event that API Gateway makes of a request. */
export function eventOf(route: RouteName, { path, credential, body }: ApiRequest): APIGatewayProxyEventV2 {
  const { method } = routes[route];
  const [rawPath = "", rawQueryString = ""] = path.split("?");
  const match = matchRoute(method, decodeURIComponent(rawPath));
  if (match?.name !== route) throw new Error(`${method} ${path} is not a request of ${route}`);
  return {
    version: "2.0",
    routeKey: match.routeKey,
    rawPath,
    rawQueryString,
    headers: {
      accept: "*/*",
      host: "api.example.test",
      "user-agent": "svc-bench",
      "x-forwarded-for": "203.0.113.7",
      "x-forwarded-port": "443",
      "x-forwarded-proto": "https",
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(rawQueryString !== "" && { queryStringParameters: Object.fromEntries(new URLSearchParams(rawQueryString)) }),
    pathParameters: match.pathParameters,
    requestContext: {
      accountId: "111122223333",
      apiId: "bench",
      domainName: "api.example.test",
      domainPrefix: "api",
      http: { method, path: rawPath, protocol: "HTTP/1.1", sourceIp: "203.0.113.7", userAgent: "svc-bench" },
      requestId: randomUUID(),
      routeKey: match.routeKey,
      stage: "$default",
      time: new Date().toUTCString(),
      timeEpoch: Date.now(),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    isBase64Encoded: false,
  };
}

/** What Lambda hands to a function beside the event. */
export function contextOf(route: RouteName): Context {
  return {
    awsRequestId: randomUUID(),
    callbackWaitsForEmptyEventLoop: false,
    functionName: route,
    functionVersion: "$LATEST",
    invokedFunctionArn: `arn:aws:lambda:eu-central-1:111122223333:function:${route}`,
    memoryLimitInMB: "1024",
    logGroupName: "bench",
    logStreamName: "bench",
    getRemainingTimeInMillis: () => 15_000,
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}
