import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { Route } from "../../contract/api/route.ts";
import { routes } from "../../contract/api/routes.ts";
import { siteOf } from "../../edge/project/host.ts";
import type { Part } from "../part.ts";
import { preflightResponse, readableByPages } from "./cors.ts";
import { gatewayEvent, requestUrl } from "./event.ts";
import { foreignRequestReason } from "./foreign-request.ts";
import { functionTimeoutMilliseconds, invokeFunction } from "./functions.ts";
import { matchRoute, type RouteMatch } from "./routes.ts";
import type { Throttle } from "./throttle.ts";

/** Limits of API Gateway: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-quotas.html */
const gatewayLimits = { bodyBytes: 10 * 1024 * 1024, headerBytes: 10_240 };
const closeTimeoutMilliseconds = 3_000;
/** Long, so that a busy caller never sends into a connection that is just being closed. */
const keepAliveMilliseconds = 60_000;

/** A server for its own host names, on the same port as the API. */
export interface Site {
  /** Responds to a request whose Host is one of its own, or returns false. */
  respond(request: IncomingMessage, response: ServerResponse): boolean;
}

export interface HttpServerOptions {
  /** Listens at an address of the network for games alone, instead of on this machine for everything. */
  readonly network?: { readonly address: string; readonly gamesDomain: string };
  /** Whose pages may call the API, beside those of this server's port. */
  readonly origins?: readonly string[];
  /** Requests that are let through; without it, all. */
  readonly throttle?: Throttle | undefined;
  /** Time that a function may take. */
  readonly timeoutMilliseconds?: number;
}

/**
 * Serves the contract's routes as API Gateway does: each request becomes an event for the function of its route. The
 * sites come first.
 *
 * @param gate requests wait for it: the port is taken first, and everything behind it comes up afterwards
 * @throws Error with code EADDRINUSE if the port is taken
 */
export async function startHttpServer(
  port: number,
  gate: Promise<readonly Site[]>,
  options: HttpServerOptions = {},
): Promise<Part> {
  const server = createServer({ maxHeaderSize: gatewayLimits.headerBytes }, (request, response) => {
    if (!takeTarget(request)) return refuse(response, 400, "Bad Request");
    gate
      .then((sites) => {
        if (sites.some((site) => site.respond(request, response))) return undefined;
        const refused = options.network
          ? refusesBeyondGames(request, response, options.network.gamesDomain)
          : refusesForeign(request, response, options.origins ?? []);
        return refused ? undefined : respond(request, response, options);
      })
      .catch((error: unknown) => response.destroy(error as Error));
  });
  server.keepAliveTimeout = keepAliveMilliseconds;
  const address = options.network?.address ?? "127.0.0.1";
  server.listen(port, address);
  await once(server, "listening");
  return { endpoint: `http://${address}:${(server.address() as AddressInfo).port}`, stop: () => close(server) };
}

/**
 * Makes the target a path, as sites and routes read it. The host of a target in absolute form replaces the header's (RFC 9112,
 * section 3.2.2).
 *
 * @returns false if the request has two Host headers (section 3.2), or an absolute target that is no http URL
 */
function takeTarget(request: IncomingMessage): boolean {
  if ((request.headersDistinct["host"] ?? []).length > 1) return false;
  const { url = "/" } = request;
  if (url.startsWith("/") || url === "*") return true;
  // Not by URL, which would decode and shorten the path.
  const [, host, path] = /^http:\/\/([^/?#@\s]+)(\/\S*)?$/i.exec(url) ?? [];
  if (host === undefined) return false;
  request.headers.host = host;
  request.url = path ?? "/";
  return true;
}

/**
 * Refuses what another site's page sends, without CORS headers. A published page is a stranger here as well: it reads
 * published files and sends what was measured of its game, and nothing else.
 *
 * @returns whether the response was sent
 */
function refusesForeign(request: IncomingMessage, response: ServerResponse, origins: readonly string[]): boolean {
  const { localPort = 0 } = request.socket;
  const route = routeOf(request);
  const refusal = foreignRequestReason(request.headers, {
    ports: [localPort],
    origins,
    published: route?.name === "getFile" || isOfGames(route),
  });
  if (refusal === undefined) return false;
  refuse(response, 403, refusal);
  return true;
}

/** The route that a request, or the request after this preflight, is for. */
function routeOf({ headers, method = "", url = "/" }: IncomingMessage) {
  const wanted = headers["access-control-request-method"] ?? method;
  return matchRoute(wanted === "HEAD" ? "GET" : wanted, requestUrl(url)?.path ?? "");
}

/** Whether pages of games may send to a route: it takes a grant and nothing else. */
function isOfGames(route: RouteMatch | undefined): boolean {
  return route !== undefined && (routes[route.name] as Route).credential === "grant";
}

/**
 * Refuses everything that is no game but what the page sends that measures one: of the API nothing else is on the network.
 *
 * @returns whether the response was sent
 */
function refusesBeyondGames(request: IncomingMessage, response: ServerResponse, gamesDomain: string): boolean {
  const { host = "", origin } = request.headers;
  const site = origin?.startsWith("http://") && siteOf(origin.slice("http://".length), gamesDomain);
  const isGame = origin === undefined || (site && site.kind !== "none");
  if (isOfGames(routeOf(request)) && host === gamesDomain && isGame) return false;
  refuse(response, 403, "Only games are on the network.");
  return true;
}

/** Responds before any function, and reads nothing more of this connection. */
function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ message }));
}

/** Lets the running requests finish, for three seconds at most. */
async function close(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  const timer = setTimeout(() => server.closeAllConnections(), closeTimeoutMilliseconds);
  await closed;
  clearTimeout(timer);
}

async function respond(request: IncomingMessage, response: ServerResponse, options: HttpServerOptions): Promise<void> {
  const requestId = randomUUID();
  const result = preflightResponse(request) ?? (await invokeRoute(request, requestId, options));
  const body = Buffer.from(result.body ?? "", result.isBase64Encoded ? "base64" : "utf8");
  response.statusCode = result.statusCode ?? 200;
  for (const [name, value] of Object.entries({ ...result.headers, ...readableByPages(request) }))
    response.setHeader(name, String(value));
  if (result.cookies) response.setHeader("set-cookie", result.cookies);
  response.setHeader("apigw-requestid", requestId);
  if (response.statusCode !== 204 && response.statusCode !== 304) response.setHeader("content-length", body.length);
  // The rest of a body that was too large is not read, so the connection cannot be used again.
  if (!request.complete) response.setHeader("connection", "close");
  response.end(body);
}

async function invokeRoute(
  request: IncomingMessage,
  requestId: string,
  { throttle, timeoutMilliseconds = functionTimeoutMilliseconds }: HttpServerOptions,
): Promise<APIGatewayProxyStructuredResultV2> {
  const url = requestUrl(request.url ?? "/");
  if (url === undefined) return gatewayResponse(400, "Bad Request");
  const route = matchRoute(request.method ?? "", url.path);
  if (route === undefined) return gatewayResponse(404, "Not Found");
  if (throttle?.(route.name) === false) return gatewayResponse(429, "Too Many Requests");
  const body = await readBody(request);
  if (body === undefined) return gatewayResponse(413, "Request Entity Too Large");
  try {
    const event = gatewayEvent({ request, url, route, body, requestId, now: new Date() });
    const result = await invokeFunction(route.name, event, timeoutMilliseconds);
    return result ?? gatewayResponse(503, "Service Unavailable");
  } catch (error) {
    console.error(error);
    return gatewayResponse(500, "Internal Server Error");
  }
}

/** The whole body; undefined if it is larger than API Gateway takes. */
async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    sizeBytes += chunk.length;
    if (sizeBytes > gatewayLimits.bodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A response of API Gateway itself, which is no problem document of the contract. */
function gatewayResponse(statusCode: number, message: string): APIGatewayProxyStructuredResultV2 {
  return { statusCode, headers: { "content-type": "application/json" }, body: JSON.stringify({ message }) };
}
