import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import type { RouteMatch } from "./routes.ts";

/** Path and query of a request as API Gateway sees them. */
export interface RequestUrl {
  /** Decoded: an HTTP API decodes the path before it looks for the route, so an encoded slash separates segments. */
  readonly path: string;
  /** As it was sent. */
  readonly query: string;
}

/** Splits and decodes a request's target; undefined if its percent-encoding is invalid. */
export function requestUrl(target: string): RequestUrl | undefined {
  const [path = "", ...query] = target.split("?");
  try {
    return { path: decodeURIComponent(path), query: query.join("?") };
  } catch {
    return undefined;
  }
}

/** Makes the event that an API Gateway HTTP API sends to a function: payload format 2.0. */
export function gatewayEvent(call: {
  request: IncomingMessage;
  url: RequestUrl;
  route: RouteMatch;
  body: Buffer;
  requestId: string;
  now: Date;
}): APIGatewayProxyEventV2 {
  const { request, url, route, body, requestId, now } = call;
  const { cookie, ...headers } = joinedHeaders(request.rawHeaders);
  const host = headers["host"] ?? "";
  const sourceIp = request.socket.remoteAddress ?? "";
  const text = isText(headers) && isUtf8(body);
  return {
    version: "2.0",
    routeKey: route.routeKey,
    rawPath: url.path,
    rawQueryString: url.query,
    ...(cookie !== undefined && { cookies: cookie.split(/; ?|,/).filter(Boolean) }),
    headers: { ...headers, "x-forwarded-for": sourceIp, "x-forwarded-proto": "http" },
    ...(url.query !== "" && { queryStringParameters: joined(new URLSearchParams(url.query)) }),
    ...(Object.keys(route.pathParameters).length > 0 && { pathParameters: route.pathParameters }),
    requestContext: {
      accountId: "local",
      apiId: "local",
      domainName: host,
      domainPrefix: "local",
      http: {
        method: request.method ?? "",
        path: url.path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: headers["user-agent"] ?? "",
      },
      requestId,
      routeKey: route.routeKey,
      stage: "$default",
      time: now.toUTCString(),
      timeEpoch: now.getTime(),
    },
    ...(body.length > 0 && { body: body.toString(text ? "utf8" : "base64") }),
    isBase64Encoded: body.length > 0 && !text,
  };
}

/** Names in lower case. */
function joinedHeaders(rawHeaders: readonly string[]): Record<string, string> {
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  return joined(names.map((name, index) => [name.toLowerCase(), rawHeaders[2 * index + 1] ?? ""]));
}

/** The values of a name that was sent more than once, joined by commas; no name is that of a member of every object. */
function joined(pairs: Iterable<readonly [name: string, value: string]>): Record<string, string> {
  const values = new Map<string, string>();
  for (const [name, value] of pairs) {
    const earlierValue = values.get(name);
    values.set(name, earlierValue === undefined ? value : `${earlierValue},${value}`);
  }
  return Object.fromEntries(values);
}

const textType = /^(text\/|application\/(json|javascript|xml|[\w.-]+\+(json|xml))\b)/i;

function isText(headers: Record<string, string>): boolean {
  return textType.test(headers["content-type"] ?? "") && (headers["content-encoding"] ?? "identity") === "identity";
}
