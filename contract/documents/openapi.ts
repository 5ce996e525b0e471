import * as z from "zod/mini";
import { headers } from "../api/headers.ts";
import { limits } from "../api/limits.ts";
import type { Route } from "../api/route.ts";
import { routes } from "../api/routes.ts";
import { apiVersion } from "../api/version.ts";
import { errorExamples, examplesOf } from "./examples.ts";
import { errorSchemas, failures, successes } from "./openapi-responses.ts";
import { namedSchemas, schemaNames, schemaReference } from "./schema-names.ts";

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
      description:
        "Accounts, personal access tokens, projects and releases of a publishing service for browser games. " +
        "Changes are additive: ignore fields that you do not know. Every GET has a HEAD; another method of a known path gets 405 with Allow.",
      contact: { name: "The operator of this service" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers,
    tags: [...new Set(Object.values(routes).map(({ tag }) => tag))].map((name) => ({
      name,
      description: tagDescriptions[name],
    })),
    paths,
    components: {
      securitySchemes: {
        idToken: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "An OpenID Connect ID token." },
        personalAccessToken: { type: "http", scheme: "bearer", description: "A personal access token, `pat_…`." },
      },
      schemas: {
        ...Object.fromEntries([...namedSchemas].map(([schema, { id, io }]) => [id, component(schema, id, io)])),
        ...errorSchemas(),
      },
      headers: {
        [headers.version]: { description: "The version of the API.", schema: { type: "string" } },
        [headers.requestId]: { description: "Names the request in the service's logs.", schema: { type: "string" } },
        [headers.tokenExpiresAt]: {
          description: "When the personal access token of the request expires; only within its last week.",
          schema: { type: "string", format: "date-time" },
        },
        etag: { description: "The SHA-256 of the body, to be sent as If-None-Match.", schema: { type: "string" } },
        location: {
          description:
            "The path of what was created, or the URL to go on at; a file's bytes are there for a few minutes.",
          schema: { type: "string" },
        },
        "www-authenticate": { description: "How to authenticate (RFC 6750).", schema: { type: "string" } },
        "retry-after": {
          description: "Seconds after which to try again. API Gateway's own responses have none.",
          schema: { type: "integer" },
        },
      },
    },
  };
}

/** The first ones are for generators, which need a URL that is not relative to the document's. */
const servers = [
  {
    url: "https://{host}",
    description: "A deployed stage",
    variables: { host: { default: "api.example.com", description: "The host name of the stage's API." } },
  },
  { url: "http://127.0.0.1:8787", description: "One machine, where npm start runs" },
  { url: "/", description: "Where this document comes from" },
];

const tagDescriptions: Record<Route["tag"], string> = {
  Accounts: "Signing in, the profile, and what happened to the account.",
  Tokens: "Personal access tokens, for the command line and for CI.",
  Approvals: "Giving a token to a command line without pasting one (OAuth 2.0).",
  Projects: "Games and their names.",
  Publishers: "CI jobs that publish with their identity, without a stored secret.",
  Releases: "Publishing: opening, uploading, going live, rolling back.",
  Service: "The service itself.",
};

/** Who may call, in words. */
export function credentialOf({ credential, role, scope, project }: Route): string {
  const who = { none: "none", idToken: "ID token", token: "PAT", any: "ID token or PAT" }[credential];
  const scoped = scope ? `, a PAT with the scope \`${scope}\`` : "";
  return `${who}${role ? " of a developer" : ""}${project ? " who owns the project" : ""}${scoped}`;
}

/** A conditional request (RFC 9110, section 13.1.2), if a response has an ETag. */
const ifNoneMatch = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The ETag of an earlier response; 304 says that nothing has changed.",
  schema: { type: "string" },
};

/** draft-ietf-httpapi-idempotency-key-header-07, section 2. */
const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A key of the client's choice for this creation, for example a UUID. Sent again with the same key within a day, the request creates nothing more and responds with what it created.",
  schema: { type: "string", minLength: 1, maxLength: limits.idempotencyKeyLength + '""'.length },
};

function operation(operationId: string, route: Route): Json {
  const examples = examplesOf(operationId);
  const parameters = [
    ...parametersIn("path", route.params),
    ...parametersIn("query", route.query),
    ...(304 in route.responses ? [ifNoneMatch] : []),
    ...(route.idempotencyKey ? [idempotencyKey] : []),
  ];
  return {
    operationId,
    summary: route.summary,
    description: [`${route.summary}.`, route.details, `Credential: ${credentialOf(route)}.`]
      .filter(Boolean)
      .join("\n\n"),
    tags: [route.tag],
    security: security(route),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: {
        required: route.bodyOptional !== true,
        content: {
          [route.form ? "application/x-www-form-urlencoded" : "application/json"]: {
            schema: schemaReference(route.body),
            example: examples.request,
          },
        },
      },
    }),
    responses: { ...successes(operationId, route), ...failures(operationId, route) },
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
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: place,
    required: place === "path" || required.includes(name),
    description,
    schema: property,
  }));
}

function openApiPath(path: string): string {
  return path.replace(/[:*](\w+)/g, "{$1}");
}

/** A named schema; those inside that have a name too are references. */
function component(schema: Schema, id: string, io: "input" | "output"): Json {
  const { $defs = {} } = jsonSchema(schema, io) as { $defs?: Record<string, Json> };
  const named = JSON.parse(JSON.stringify($defs[id]).replaceAll("#/$defs/", "#/components/schemas/"));
  const example = new Map<string, unknown>(Object.entries(errorExamples)).get(id);
  return { ...named, ...(example !== undefined && { examples: [example] }) };
}

function jsonSchema(schema: Schema, io: "input" | "output"): Json {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io,
    target: "draft-2020-12",
    metadata: schemaNames,
    override: ({ zodSchema, jsonSchema }) => {
      Object.assign(jsonSchema, z.globalRegistry.get(zodSchema));
      adjust(jsonSchema as Json, io);
    },
  });
  return rest;
}

/**
 * `format: date-time` says it all; zod's pattern beside it is 400 characters. A response may get more fields later, which
 * a client must not refuse.
 */
function adjust(jsonSchema: Json, io: "input" | "output"): void {
  if (jsonSchema["format"] === "date-time") delete jsonSchema["pattern"];
  if (io === "output" && jsonSchema["additionalProperties"] === false) delete jsonSchema["additionalProperties"];
}
