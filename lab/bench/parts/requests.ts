import { randomUUID } from "node:crypto";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { matchRoute } from "../../../local/gateway/routes.ts";
import { type RouteName, routes } from "../../../test/support/routes.ts";
import type { Actors } from "../../../test/support/service/actors.ts";
import { encodedBody, type Operation, operations, withProject } from "../../../test/support/service/operations.ts";

/** A request that succeeds, with its credential. */
export interface ApiRequest extends Operation {
  readonly credential?: string;
}

/**
 * Requests of a route, each of which succeeds once: each has an owner of its own, because those of one owner could conflict or
 * undo each other. With a token if the route accepts one, because that takes the most reads; the token has been used before,
 * because a first use writes to the table.
 */
export async function requestsOf(name: RouteName, actors: Actors, count: number): Promise<ApiRequest[]> {
  const requests: ApiRequest[] = [];
  while (requests.length < count) {
    const owner = await withProject(await actors.developer());
    const token = await owner.token({ scopes: ["publish", "projects"] });
    await token.get("/me");
    const { credential } = token;
    const accepted = {
      none: {},
      idToken: { credential: owner.credential },
      token: { credential },
      any: { credential },
      // The operation has its own.
      grant: {},
    };
    requests.push({ ...(await operations[name](owner)), ...accepted[routes[name].credential] });
  }
  return requests;
}

/** The event that API Gateway makes of a request. */
export function eventOf({ method, path, credential, body, headers }: ApiRequest): APIGatewayProxyEventV2 {
  const { pathname, search, searchParams } = new URL(path, "https://api.example.test");
  const match = matchRoute(method, decodeURIComponent(pathname));
  if (match === undefined) throw new Error(`No route is ${method} ${path}`);
  const { routeKey, pathParameters } = match;
  return {
    version: "2.0",
    routeKey,
    rawPath: pathname,
    rawQueryString: search.slice(1),
    ...(searchParams.size > 0 && { queryStringParameters: Object.fromEntries(searchParams) }),
    headers: {
      accept: "*/*",
      host: "api.example.test",
      ...(credential !== undefined && { authorization: `Bearer ${credential}` }),
      ...(body !== undefined && { "content-type": encodedBody(body).type }),
      ...headers,
    },
    pathParameters,
    requestContext: {
      accountId: "111122223333",
      apiId: "bench",
      domainName: "api.example.test",
      domainPrefix: "api",
      http: { method, path: pathname, protocol: "HTTP/1.1", sourceIp: "203.0.113.7", userAgent: "svc-bench" },
      requestId: randomUUID(),
      routeKey,
      stage: "$default",
      time: new Date().toUTCString(),
      timeEpoch: Date.now(),
    },
    ...(body !== undefined && { body: encodedBody(body).text }),
    isBase64Encoded: false,
  };
}
