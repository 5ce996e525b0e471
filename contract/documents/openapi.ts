import { availabilityOfTag } from "../api/availability.ts";
import { headers } from "../api/headers.ts";
import type { Route } from "../api/route.ts";
import { apiVersion } from "../api/version.ts";
import { documentedRoutes } from "./documented-routes.ts";
import { parametersOf, sharedParameters } from "./openapi-parameters.ts";
import { failures, refusalResponses, successes } from "./openapi-responses.ts";
import { namedComponents } from "./openapi-schemas.ts";
import { schemaReference } from "./schema-names.ts";

type Json = Record<string, unknown>;

/** The API as an OpenAPI 3.1 document, made from the routes and nothing else. */
export function openApiDocument(): Json {
  const paths: Record<string, Json> = {};
  for (const [name, route] of documentedRoutes) {
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
        "Availability: accounts are `staging`; tokens, publishing and the command line are `source-preview`. " +
        `Publishing takes four requests: ${publishing} ` +
        "The description of each refusal lists the codes that its `code` can be. " +
        "Changes are additive: ignore fields that you do not know. Every GET has a HEAD; another method of a known path gets 405 with Allow. " +
        `Responses of the service have the headers ${headers.version}, the version of the API, and ${headers.requestId}, which names the request in the service's logs; those to a personal access token in the last week before it expires have ${headers.tokenExpiresAt}, an RFC 3339 time.`,
      contact: { name: "The operator of this service" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers,
    security: securityOf.any,
    tags: [...new Set(documentedRoutes.map(([, { tag }]) => tag))].map((name) => ({
      name,
      description: describedTag(name),
      ...labelled(name),
    })),
    paths,
    components: {
      securitySchemes: {
        idToken: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "An OpenID Connect ID token." },
        personalAccessToken: { type: "http", scheme: "bearer", description: "A personal access token, `pat_…`." },
      },
      schemas: namedComponents,
      responses: refusalResponses(),
      parameters: sharedParameters(),
      headers: {
        etag: {
          description: "Of what a GET of this path responds with, to be sent as If-None-Match or If-Match.",
          schema: { type: "string" },
        },
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

/** The way of a release, for whoever reads nothing else. */
const publishing =
  "`POST /projects/{slug}/releases` with `files`, the path, size and SHA-256 of each, opens a release and lists which hashes are `missing`; " +
  "`POST /projects/{slug}/releases/{id}/uploads` with those as `sha256` responds with a URL and headers for each; `PUT` sends a file's bytes there; " +
  "`POST /projects/{slug}/releases/{id}/publish` makes it live.";

/** Servers for generators, which need an absolute URL. A service that serves the document names itself instead. */
const servers = [
  {
    url: "https://{host}",
    description: "A deployed stage",
    variables: { host: { default: "api.example.com", description: "The host name of the stage's API." } },
  },
  { url: "http://127.0.0.1:8787", description: "By npm start" },
];

const tagDescriptions: Record<Route["tag"], string> = {
  Accounts: "Signing in, the profile, and what happened to the account.",
  Tokens: "Personal access tokens, for the command line and for CI.",
  Approvals: "Giving a token to a command line without pasting one (OAuth 2.0).",
  Projects: "Games and their names.",
  Members: "Several people who work on one project, and its history.",
  Publishers: "CI jobs that publish with their identity, without a stored secret.",
  Releases: "Publishing: opening, uploading, going live, rolling back.",
  Profiles: "Frame times and more of a release on any device.",
  Webhooks: "URLs that are told of changes of a project.",
  Service: "The service itself.",
};

/** The tag's description, which ends with its availability. */
function describedTag(tag: Route["tag"]): string {
  const label = availabilityOfTag[tag];
  return label === undefined ? tagDescriptions[tag] : `${tagDescriptions[tag]} Availability: ${label}.`;
}

/** The availability of a tag, for programs. */
function labelled(tag: Route["tag"]): { readonly "x-availability"?: string } {
  const label = availabilityOfTag[tag];
  return label === undefined ? {} : { "x-availability": label };
}

const peopleOf: { readonly [P in NonNullable<Route["project"]>]?: string } = {
  owner: " of the project's owner",
  admin: " of an owner or admin of the project",
  publisher: " of an owner, admin or publisher of the project",
  viewer: " of the project's people",
};

/** Callers of a route, in words. */
function credentialOf({ credential, role, scope, project }: Route): string {
  const who = { none: "none", idToken: "ID token", token: "PAT", any: "ID token or PAT", grant: "telemetry grant" }[
    credential
  ];
  const scoped = scope ? ` with the scope \`${scope}\`` : "";
  return `${who}${scoped}${(project && peopleOf[project]) ?? (role ? " of a developer" : "")}`;
}

function operation(operationId: string, route: Route): Json {
  const parameters = parametersOf(route);
  return {
    operationId,
    summary: route.summary,
    description: [route.details, route.credential === "none" ? "No credential." : `By ${credentialOf(route)}.`]
      .filter(Boolean)
      .join("\n\n"),
    tags: [route.tag],
    ...(route.option && { "x-option": route.option }),
    ...security(route),
    ...(parameters.length > 0 && { parameters }),
    ...(route.body && {
      requestBody: {
        required: route.bodyOptional !== true,
        content: {
          [route.form ? "application/x-www-form-urlencoded" : "application/json"]: {
            schema: schemaReference(route.body),
          },
        },
      },
    }),
    responses: { ...successes(operationId, route), ...failures(route) },
  };
}

const securityOf: Record<Exclude<Route["credential"], "grant">, Json[]> = {
  none: [],
  idToken: [{ idToken: [] }],
  token: [{ personalAccessToken: [] }],
  any: [{ idToken: [] }, { personalAccessToken: [] }],
};

/** Security of an operation; most have that of the document's beginning. */
function security({ credential }: Route): { readonly security?: Json[] } {
  return credential === "any" || credential === "grant" ? {} : { security: securityOf[credential] };
}

function openApiPath(path: string): string {
  return path.replace(/[:*](\w+)/g, "{$1}");
}
