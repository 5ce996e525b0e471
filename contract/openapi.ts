import * as z from "zod/mini";
import { type ErrorCode, errors } from "./errors.ts";
import { headers } from "./headers.ts";
import { oauthError } from "./oauth.ts";
import { problem } from "./problem.ts";
import type { Route } from "./route.ts";
import { routes } from "./routes.ts";
import { apiVersion } from "./version.ts";

type Schema = z.core.$ZodType;
type Json = Record<string, unknown>;

/** The API as an OpenAPI 3.1 document, made from the routes and nothing else. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const [name, route] of Object.entries(routes)) {
    const path = openApiPath(route.path);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route) };
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "svc",
      version: apiVersion,
      description: "Accounts, personal access tokens, projects and releases of a publishing service for browser games.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: "/" }],
    tags: [...new Set(Object.values(routes).map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        idToken: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "An OpenID Connect ID token." },
        personalAccessToken: { type: "http", scheme: "bearer", description: "A personal access token, `pat_…`." },
      },
      schemas: { Problem: jsonSchema(problem, "output"), OAuthError: jsonSchema(oauthError, "output") },
      headers: {
        [headers.version]: { description: "The version of the API.", schema: { type: "string" } },
        [headers.requestId]: { description: "Names the request in the service's logs.", schema: { type: "string" } },
        [headers.tokenExpiresAt]: {
          description: "When the personal access token of the request expires; only within its last week.",
          schema: { type: "string", format: "date-time" },
        },
        etag: { description: "The SHA-256 of the file, to be sent as If-None-Match.", schema: { type: "string" } },
        location: { description: "Where the file's bytes are, for a few minutes.", schema: { type: "string" } },
        "www-authenticate": { description: "How to authenticate (RFC 6750).", schema: { type: "string" } },
        "retry-after": { description: "Seconds after which to try again.", schema: { type: "integer" } },
      },
    },
  };
}

function operation(operationId: string, route: Route): Json {
  const parameters = [...parametersIn("path", route.params), ...parametersIn("query", route.query)];
  return {
    operationId,
    summary: route.summary,
    tags: [route.tag],
    security: security(route),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: {
        required: route.bodyOptional !== true,
        content: {
          [route.form ? "application/x-www-form-urlencoded" : "application/json"]: {
            schema: jsonSchema(route.body, "input"),
          },
        },
      },
    }),
    responses: { ...successes(route), ...failures(route) },
  };
}

function security({ credential }: Route): Json[] {
  const byCredential = {
    none: [],
    idToken: [{ idToken: [] }],
    token: [{ personalAccessToken: [] }],
    any: [{ idToken: [] }, { personalAccessToken: [] }],
  };
  return byCredential[credential];
}

function parametersIn(place: "path" | "query", schema: Schema | undefined): Json[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchema(schema, "input") as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    schema: property,
  }));
}

/** References to the headers that every response has, that responses to a token can have, and those named. */
function responseHeaders({ credential }: Route, ...more: string[]): Json {
  const names = [
    headers.version,
    headers.requestId,
    ...(credential === "any" || credential === "token" ? [headers.tokenExpiresAt] : []),
    ...more,
  ];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Headers that responses of one status have besides. */
const headersOfStatus: Record<number, readonly string[]> = {
  302: ["location"],
  304: ["etag"],
  401: ["www-authenticate"],
  503: ["retry-after"],
};

function successes(route: Route): Json {
  const entries = Object.entries(route.responses).map(([status, schema]) => [
    status,
    {
      description: descriptions[status],
      headers: responseHeaders(route, ...(headersOfStatus[Number(status)] ?? [])),
      ...(schema && { content: { "application/json": { schema: jsonSchema(schema, "output") } } }),
      ...(schema === null && status === "200" && { content: { "*/*": {} } }),
    },
  ]);
  return Object.fromEntries(entries);
}

const descriptions: Record<string, string> = {
  200: "Done",
  201: "Created",
  202: "Accepted",
  204: "Done, without a body",
  302: "At the address in Location",
  304: "Not changed since the response whose ETag If-None-Match names",
};

function failures(route: Route): Json {
  const byStatus = Map.groupBy(errorCodes(route), (code) => errors[code].status);
  const entries = [...byStatus].map(([status, codes]) => [
    String(status),
    {
      description: codes.map((code) => `\`${code}\`: ${errors[code].title}`).join("; "),
      headers: responseHeaders(route, ...(headersOfStatus[status] ?? [])),
      content: route.form
        ? { "application/json": { schema: { $ref: "#/components/schemas/OAuthError" } } }
        : { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
    },
  ]);
  return Object.fromEntries(entries);
}

/** Every error that a route can answer with: its own, and those that follow from what it asks of a request. */
export function errorCodes(route: Route): ErrorCode[] {
  const follows: (readonly [unknown, ErrorCode[]])[] = [
    [route.params ?? route.query, ["invalid_parameters"]],
    [route.credential !== "none", ["credential_missing", "credential_malformed", "id_token_invalid"]],
    [route.credential !== "none", ["id_token_expired", "token_invalid", "token_revoked", "token_expired"]],
    [route.credential !== "none", ["identity_provider_unavailable"]],
    [route.credential === "idToken", ["session_required"]],
    [route.credential === "token", ["token_required"]],
    [route.credential !== "none" && route.account !== "optional", ["account_required"]],
    [route.role, ["developer_required"]],
    [route.recentSignIn, ["recent_sign_in_required"]],
    [route.scope, ["insufficient_scope"]],
    [route.project, ["project_not_in_token", "project_not_found"]],
    [route.form, ["invalid_request"]],
    [route.body && !route.form, ["malformed_json", "payload_too_large", "unsupported_media_type", "validation_failed"]],
    [route.tag !== "Service", ["temporarily_unavailable"]],
    [true, ["too_many_requests", "internal_error"]],
  ];
  const codes = follows.flatMap(([isAsked, list]) => (isAsked ? list : []));
  return [...new Set([...codes, ...(route.errors ?? [])])].sort(
    (a, b) => errors[a].status - errors[b].status || a.localeCompare(b, "en"),
  );
}

function openApiPath(path: string): string {
  return path.replace(/[:*](\w+)/g, "{$1}");
}

function jsonSchema(schema: Schema, io: "input" | "output"): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, { io, target: "draft-2020-12", override: withoutTimePattern });
  return rest;
}

/** `format: date-time` says it all; zod's pattern beside it is 400 characters. */
function withoutTimePattern({ jsonSchema }: { jsonSchema: Json }): void {
  if (jsonSchema["format"] === "date-time") delete jsonSchema["pattern"];
}
