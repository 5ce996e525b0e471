import * as z from "zod/mini";
import { errors } from "../api/errors.ts";
import { headers } from "../api/headers.ts";
import { limits } from "../api/limits.ts";
import { validationProblem } from "../api/problem.ts";
import type { Route } from "../api/route.ts";
import { errorCodes } from "../api/route-errors.ts";
import { routes } from "../api/routes.ts";
import { documentedRoutes } from "./documented-routes.ts";
import { errorExamples, examplesOf } from "./examples.ts";
import { credentialOf } from "./openapi.ts";
import { uploadStory } from "./upload-story.ts";

const tags = [...new Set(documentedRoutes.map(([, { tag }]) => tag))];

const pageOf = (tag: Route["tag"]) => `${tag.toLowerCase()}.md`;

/** The pages of docs/api by file name: the API for people, one page a tag, made from the routes and nothing else. */
export function apiReference(): Record<string, string> {
  return { "README.md": shared(), ...Object.fromEntries(tags.map((tag) => [pageOf(tag), tagPage(tag)])) };
}

/** Page with what the routes of all tags have in common. */
function shared(): string {
  return [
    introduction,
    "## Routes\n",
    ...tags.map(
      (tag) =>
        `- [${tag}](${pageOf(tag)}): ${routesOf(tag)
          .map(([, route]) => titleOf(route))
          .join(", ")}`,
    ),
    "",
    withCurl,
    "## Errors\n",
    "Every response of a function that is not a success has this body, as `application/problem+json` (RFC 9457). Only the two",
    "routes that take a form respond with OAuth's errors instead.\n",
    // The codes of all errors have a table of their own.
    fieldTable(validationProblem, "output", { listValues: false }),
    jsonExample(errorExamples.Problem),
    "If the service is deployed, API Gateway responds to some requests itself, as `application/json` with only `message` and",
    "without `Retry-After`: 400 for a path that is not percent-encoded as it must be, 404 for a path that no route has, 413 for a",
    "body that is larger than it takes, 429 for requests beyond its limit, 500 and 503 if a function did not respond. Without `Retry-After` wait a second before trying again, and",
    "after each further 429, 500 or 503 twice as long, up to a minute, with a random part.",
    "A client that polls `POST /oauth/token`",
    "takes such a response as `slow_down`: it adds 5 seconds to its interval and goes on (RFC 8628, section 3.5).\n",
    table(
      ["status", "code", "what to do"],
      Object.entries(errors).map(([code, { status, detail }]) => [String(status), `\`${code}\``, detail]),
    ),
    "## Limits\n",
    table(
      ["limit", "value"],
      Object.entries(limits).map(([name, value]) => [inWords(name), value.toLocaleString("en")]),
    ),
  ].join("\n");
}

/** The errors that follow from a credential and a body, not from what a route does. */
const general: ReadonlySet<string> = new Set(errorCodes({ ...routes.updateMe, errors: [] }));

const generated = "<!-- Written by `npm run openapi` from contract/. Change the contract, not this file. -->\n";

const introduction = `# API

${generated}
JSON in UTF-8, field names in snake_case, times in RFC 3339 and UTC. Changes are additive; every response carries the version in
\`${headers.version}\` and names the request in \`${headers.requestId}\`. \`GET /openapi.json\` is this document for programs.

**Credentials.** \`Authorization: Bearer <token>\`, with an ID token of the identity provider or a personal access token (PAT, begins with
\`pat_\`). A PAT that expires within ${limits.tokenExpiryWarningDays} days gets \`${headers.tokenExpiresAt}\` in every response. A revoked one gets 401 from the very next
request on.

**Request bodies** are \`application/json\`; a field that the tables do not name is refused. Two routes of OAuth take a form instead.
**Lists** come in pages: \`next_cursor\` is null on the last one, otherwise pass it as \`?cursor=\`.

**Idempotency keys.** The routes that create a project, a token, a release or an approval take the header \`Idempotency-Key: "<key>"\`
(1 to ${limits.idempotencyKeyLength} letters, digits and \`-._~:+/=\`, with or without the quotes): make a new one, such as a UUID, for each creation, and send it again when the response
was lost. Within ${limits.idempotencyKeySeconds / 3_600} hours the request then creates nothing more and responds with what it created. A raw token is never returned
twice: the token that nobody received is revoked, and the response has another one. The same key with another request is 422, with one that is under way 409.

**Errors** are listed [below](#errors). Each route names those of its own; errors about credentials, parameters, bodies and the service itself
can come from every route.
`;

const withCurl = `## With curl

On one machine, where \`npm start\` runs: become a developer, create a token and let \`svc\` save it. A deployed service takes the ID
token that its identity provider gave you.

\`\`\`sh
ID_TOKEN=$(npm run --silent id-token -- --uid ada --email ada@example.test --name "Ada")
curl -s -X POST http://127.0.0.1:8787/auth/session -H "Authorization: Bearer $ID_TOKEN" -H "Content-Type: application/json" -d '{"role": "dev"}'
curl -s -X POST http://127.0.0.1:8787/tokens -H "Authorization: Bearer $ID_TOKEN" -H "Content-Type: application/json" -d '{"name": "laptop", "scopes": ["publish", "projects"]}' | node -p 'JSON.parse(require("fs").readFileSync(0)).token' | npx --no svc login --token - --api http://127.0.0.1:8787
\`\`\`

Revoke it; the very next request with it is refused:

\`\`\`sh
TOKEN_ID=$(npx --no svc whoami --json | node -p 'JSON.parse(require("fs").readFileSync(0)).auth.token_id')
curl -s -X DELETE http://127.0.0.1:8787/tokens/$TOKEN_ID -H "Authorization: Bearer $ID_TOKEN"
npx --no svc whoami
\`\`\`
`;

const titleOf = ({ method, path }: Route) => `\`${method} ${path}\``;

function routesOf(tag: Route["tag"]) {
  return documentedRoutes.filter(([, route]) => route.tag === tag);
}

function tagPage(tag: Route["tag"]): string {
  return [
    `# API: ${tag}\n`,
    generated,
    "[What all routes share](README.md): credentials, request bodies, lists, [errors](README.md#errors), [limits](README.md#limits).\n",
    ...(tag === "Releases" ? [uploadStory] : []),
    ...routesOf(tag).map(([name, route]) => routeReference(name, route)),
  ].join("\n");
}

function routeReference(name: string, route: Route): string {
  const examples = examplesOf(name);
  const parts = [
    `## ${titleOf(route)}\n`,
    `${route.summary}.\n`,
    ...(route.details ? [`${route.details}\n`] : []),
    `Credential: ${credentialOf(route)}.\n`,
    ...(route.idempotencyKey ? ["Takes an [idempotency key](README.md#api).\n"] : []),
  ];
  if (route.query) parts.push("Query:\n", fieldTable(route.query, "input"));
  if (route.body) {
    const example = route.form ? formExample(examples.request) : jsonExample(examples.request);
    parts.push("Request body:\n", fieldTable(route.body, "input"), example);
  }
  const bySchema = Map.groupBy(Object.keys(route.responses), (status) => route.responses[Number(status)] ?? null);
  for (const [schema, statuses] of bySchema) {
    const response = `Response ${statuses.join(" or ")}`;
    if (schema) parts.push(`${response}:\n`, fieldTable(schema), jsonExample(examples.response));
    else parts.push(`${response}, without a JSON body.\n`);
  }
  const codes = errorCodes(route).filter((code) => !general.has(code));
  if (codes.length > 0) parts.push(`Errors of its own: ${codes.map((code) => `\`${code}\``).join(", ")}.\n`);
  return parts.join("\n");
}

function jsonExample(body: unknown): string {
  return `For example:\n\n\`\`\`json\n${JSON.stringify(body, null, 2)}\n\`\`\`\n`;
}

function formExample(body: unknown): string {
  return `For example:\n\n\`\`\`\n${new URLSearchParams(body as Record<string, string>)}\n\`\`\`\n`;
}

interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Record<string, JsonSchema>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly description?: string;
}

/** Characters of a type in a cell. A longer one stands below the table, because nobody reads a cell of that length. */
const longestType = 150;

function fieldTable(schema: z.core.$ZodType, io: "input" | "output" = "output", { listValues = true } = {}): string {
  const rows = rowsOf(z.toJSONSchema(schema, { io }) as JsonSchema, "");
  if (rows.length === 0) return "An object.\n";
  const long = rows.filter(([, type = ""]) => type.length > longestType);
  const cells = rows.map((row) => (long.includes(row) ? row.with(1, "one of those below") : row));
  const lists = listValues ? long.map(([name, type]) => `${name} is ${type}.\n`) : [];
  return [table(["field", "type", "meaning"], cells), ...lists].join("\n");
}

/**
 * One row for each field. A nested field has its parent's name and a dot before it; alternatives of an object follow
 * one another.
 */
function rowsOf({ properties = {}, required = [], anyOf, oneOf }: JsonSchema, prefix: string): string[][] {
  const alternatives = (anyOf ?? oneOf ?? []).flatMap((alternative) => rowsOf(alternative, prefix));
  const own = Object.entries(properties).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const optional = required.includes(name) ? "" : ", optional";
    const nested =
      property.type === "array" ? rowsOf(property.items ?? {}, `${path}[].`) : rowsOf(property, `${path}.`);
    return [[`\`${path}\``, typeOf(property) + optional, property.description ?? ""], ...nested];
  });
  return [...own, ...alternatives];
}

function typeOf({ type, items, anyOf, oneOf, enum: values, const: constant, format }: JsonSchema): string {
  const options = anyOf ?? oneOf;
  if (options) return [...new Set(options.map(typeOf))].join(" or ");
  if (values) return values.map((value) => `\`${JSON.stringify(value)}\``).join(" or ");
  if (constant !== undefined) return `\`${JSON.stringify(constant)}\``;
  if (type === "array") return `list of ${typeOf(items ?? {})}`;
  if (format === "date-time") return "time";
  return [type ?? "any"].flat().join(" or ");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return `${[line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")}\n`;
}

function inWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
