import { type ErrorCode, errors } from "../api/errors.ts";
import { headers } from "../api/headers.ts";
import type { Route } from "../api/route.ts";
import { errorCodes, gatewayStatuses } from "../api/route-errors.ts";
import { routes } from "../api/routes.ts";
import { examplesOf } from "./examples.ts";
import { links } from "./links.ts";
import { schemaPrefix, schemaReference } from "./schema-names.ts";

/*
 * The responses of a route in the OpenAPI document.
 */

type Json = Record<string, unknown>;

/** References to the headers that every response has, that responses to a token can have, and those named. */
function responseHeaders({ credential }: Route, ...more: string[]): Json {
  const names = [
    headers.version,
    headers.requestId,
    ...(credential === "none" ? [] : [headers.tokenExpiresAt]),
    ...more,
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Headers that responses of one status have besides. */
const headersOfStatus: Record<number, readonly string[]> = {
  201: ["location"],
  302: ["location"],
  304: ["etag"],
  401: ["www-authenticate"],
  403: ["www-authenticate"],
  429: ["retry-after"],
  503: ["retry-after"],
};

const descriptions: Record<string, string> = {
  200: "Done",
  201: "Created",
  202: "Accepted",
  204: "Done, without a body",
  302: "At the URL in Location",
  304: "Not changed since the response whose ETag If-None-Match names",
};

export function successes(name: string, route: Route): Json {
  const example = examplesOf(name).response;
  const linksOf = links[name];
  const entries = Object.entries(route.responses).map(([status, schema]) => [
    status,
    {
      description: descriptions[status],
      headers: responseHeaders(
        route,
        ...(headersOfStatus[Number(status)] ?? []),
        ...(status === "200" && 304 in route.responses ? ["etag"] : []),
      ),
      ...(schema && { content: { "application/json": { schema: schemaReference(schema), example } } }),
      ...(schema === null && status === "200" && { content: { "*/*": {} } }),
      ...(schema && linksOf && { links: linksOf }),
    },
  ]);
  return Object.fromEntries(entries);
}

/** The codes that a route responds with, by status. */
function codesByStatus(route: Route): Map<number, ErrorCode[]> {
  return Map.groupBy(errorCodes(route), (code) => errors[code].status);
}

export function failures(name: string, route: Route): Json {
  const codes = codesByStatus(route);
  const statuses = [...new Set([...codes.keys(), ...gatewayStatuses(route)])].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [status, failure(name, route, { status, codes: codes.get(status) })]),
  );
}

function failure(
  name: string,
  route: Route,
  { status, codes }: { status: number; codes: ErrorCode[] | undefined },
): Json {
  const isGateways = gatewayStatuses(route).includes(status);
  const own = codes && { $ref: `#/components/schemas/${errorSchemaName(name, route, status)}` };
  const gateways = isGateways && { $ref: "#/components/schemas/GatewayError" };
  const said = (codes ?? []).map((code) => `\`${code}\`: ${errors[code].title}`);
  return {
    description: [...said, ...(isGateways ? ["`message` alone: API Gateway itself"] : [])].join("; "),
    ...(own && { headers: responseHeaders(route, ...(headersOfStatus[status] ?? [])) }),
    content: route.form
      ? { "application/json": { schema: own && gateways ? { anyOf: [own, gateways] } : own || gateways } }
      : {
          ...(own && { "application/problem+json": { schema: own } }),
          ...(gateways && { "application/json": { schema: gateways } }),
        },
  };
}

function errorSchemaName(name: string, { form }: Route, status: number): string {
  return `${schemaPrefix(name)}${form ? "Error" : "Problem"}${status}`;
}

/** For each route and status the error body with the codes that it can have there, on which a generated client can switch. */
export function errorSchemas(): Json {
  const entries = Object.entries<Route>(routes).flatMap(([name, route]) =>
    [...codesByStatus(route)].map(([status, codes]) => [errorSchemaName(name, route, status), narrowed(route, codes)]),
  );
  return Object.fromEntries(entries);
}

function narrowed({ form }: Route, codes: readonly ErrorCode[]): Json {
  const [base, member] = form ? ["OAuthError", "error"] : ["Problem", "code"];
  const values = form ? codes.map((code) => (code === "internal_error" ? "server_error" : code)) : codes;
  return {
    allOf: [
      { $ref: `#/components/schemas/${base}` },
      {
        type: "object",
        properties: { [member]: { type: "string", enum: values, description: "What programs match on." } },
      },
    ],
  };
}
