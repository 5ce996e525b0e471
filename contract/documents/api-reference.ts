import { availabilityOfTag } from "../api/availability.ts";
import { errors } from "../api/errors.ts";
import { headers } from "../api/headers.ts";
import { limits } from "../api/limits.ts";
import { validationProblem } from "../api/problem.ts";
import { pageQuery, type Route } from "../api/route.ts";
import { errorCodes } from "../api/route-errors.ts";
import { routes } from "../api/routes.ts";
import { documentedRoutes } from "./documented-routes.ts";
import { errorExamples, exampleIn, examplesOf } from "./examples.ts";
import { credentialOf } from "./openapi.ts";
import { type JsonSchema, jsonSchema, referenced } from "./openapi-schemas.ts";
import { schemaReference } from "./schema-names.ts";
import { uploadStory } from "./upload-story.ts";

type Tag = Route["tag"];

const tags = [...new Set(documentedRoutes.map(([, { tag }]) => tag))];

const pageOf = (tag: Tag) => `${tag.toLowerCase()}.md`;

/** Objects of several bodies, by their schemas: each is described once, at the end of the page of its tag. */
const objects: Partial<Record<Tag, Readonly<Record<string, string>>>> = {
  Accounts: {
    User: "user",
    Developer: "developer",
    PublicProfile: "public profile",
    AccountEvent: "account event",
    EventType: "event type",
  },
  Tokens: { Token: "token" },
  Projects: { Project: "project" },
  Members: { Member: "member", Invitation: "invitation", ReceivedInvitation: "received invitation" },
  Publishers: {
    Publisher: "publisher",
    CreatePublisherRequest: "publisher to add",
    CreatePendingPublisherResponse: "pending publisher",
  },
  Releases: { Release: "release", Preview: "preview", CreateUploadsResponse: "upload URLs" },
  Profiles: { Profile: "profile" },
};

const referenceTo = (id: string) => `#/components/schemas/${id}`;

/** The links to these, by the references to their schemas. */
const links: ReadonlyMap<string, string> = new Map(
  tags.flatMap((tag) =>
    Object.entries(objects[tag] ?? {}).map(([id, title]) => [referenceTo(id), link(tag, `The ${title}`, title)]),
  ),
);

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
          .map(([, route]) => link(tag, titleOf(route)))
          .join(", ")}`,
    ),
    "",
    withCurl,
    "## Errors\n",
    "Every response of a function that is not a success has this body, as `application/problem+json` (RFC 9457). Only the two",
    "routes that take a form respond with OAuth's errors instead.\n",
    fieldTable(rowsOf(schemaReference(validationProblem))),
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

/** The errors that follow from a credential, parameters and a body, not from what a route does. */
const general: ReadonlySet<string> = new Set(
  errorCodes({ ...routes.updateMe, query: pageQuery, errors: ["invalid_cursor"] }),
);

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

function routesOf(tag: Tag) {
  return documentedRoutes.filter(([, route]) => route.tag === tag);
}

/** A link to a heading of the page of a tag; the anchor is as GitHub makes it. */
function link(tag: Tag, heading: string, text = heading): string {
  const anchor = heading.toLowerCase().replace(/[^\w -]/g, "");
  return `[${text}](${pageOf(tag)}#${anchor.replaceAll(" ", "-")})`;
}

function tagPage(tag: Tag): string {
  const described = Object.entries(objects[tag] ?? {}).map(([id, title]) => ({ title, $ref: referenceTo(id) }));
  const label = availabilityOfTag[tag];
  return [
    `# API: ${tag}\n`,
    generated,
    ...(label ? [`Availability: \`${label}\`.\n`] : []),
    "[What all routes share](README.md): credentials, request bodies, lists, [errors](README.md#errors), [limits](README.md#limits).\n",
    ...(described.length > 0 ? [`Described below: ${described.map(({ $ref }) => links.get($ref)).join(", ")}.\n`] : []),
    ...(tag === "Releases" ? [uploadStory] : []),
    ...routesOf(tag).map(([name, route]) => routeReference(name, route)),
    ...described.flatMap(({ title, ...schema }) => [`## The ${title}\n`, objectReference(referenced(schema))]),
  ].join("\n");
}

function routeReference(name: string, route: Route): string {
  const { request, response } = examplesOf(name);
  const parts = [
    `## ${titleOf(route)}\n`,
    `${route.summary}.\n`,
    ...(route.details ? [`${route.details}\n`] : []),
    `Credential: ${credentialOf(route)}.\n`,
    ...(route.idempotencyKey ? ["Takes an [idempotency key](README.md#api).\n"] : []),
  ];
  if (route.query) parts.push("Query:\n", fieldTable(rowsOf(jsonSchema(route.query, "input"))));
  if (route.body)
    parts.push(
      bodyReference("Request body", schemaReference(route.body)),
      route.form ? formExample(request) : jsonExample(request),
    );
  const bySchema = Map.groupBy(Object.keys(route.responses), (status) => route.responses[Number(status)] ?? null);
  for (const [schema, statuses] of bySchema) {
    const label = `Response ${statuses.join(" or ")}`;
    const reference = schema && schemaReference(schema);
    const body = reference ? bodyReference(label, reference) : `${label}, without a JSON body.\n`;
    // An object has its example where it is described; few fields beside it need none.
    const hasExample = reference && (!body.includes("](") || rowsOf(reference).length > 3);
    parts.push(body, ...(hasExample ? [jsonExample(response)] : []));
  }
  const codes = errorCodes(route).filter((code) => !general.has(code));
  if (codes.length > 0) parts.push(`Errors of its own: ${codes.map((code) => `\`${code}\``).join(", ")}.\n`);
  return parts.join("\n");
}

/** A body: what it is, if that is described elsewhere, and the fields that it has else. */
function bodyReference(label: string, schema: JsonSchema): string {
  const type = typeOf(schema);
  const rows = rowsOf(schema);
  if (rows.length === 0) return `${label}: ${type}.\n`;
  return `${label}:${type.startsWith("[") ? ` ${type}` : ""}\n\n${fieldTable(rows)}`;
}

/** An object of several bodies: its fields, and an example of each kind. */
function objectReference(schema: JsonSchema): string {
  if (schema.enum) return `One of ${typeOf(schema).replaceAll(" or ", ", ")}.\n`;
  const kinds = schema.oneOf ?? [schema];
  return [fieldTable(rowsOf(schema)), ...kinds.map((kind) => jsonExample(exampleIn(kind)))].join("\n");
}

function jsonExample(body: unknown): string {
  return `For example:\n\n\`\`\`json\n${JSON.stringify(body, null, 2)}\n\`\`\`\n`;
}

function formExample(body: unknown): string {
  return `For example:\n\n\`\`\`\n${new URLSearchParams(body as Record<string, string>)}\n\`\`\`\n`;
}

function fieldTable(rows: string[][]): string {
  return table(["field", "type", "meaning"], rows);
}

/**
 * One row for each field that is not described elsewhere. A nested field has its parent's name and a dot before it. What all
 * alternatives have comes first, then what each has of its own.
 */
function rowsOf(schema: JsonSchema, prefix = ""): string[][] {
  const { $ref, allOf, anyOf, oneOf = anyOf, properties = {}, required = [] } = schema;
  if ($ref) return links.has($ref) ? [] : rowsOf(referenced(schema), prefix);
  if (allOf) return allOf.flatMap((part) => rowsOf(part, prefix));
  const alternatives = (oneOf ?? []).map((each) => rowsOf(each, prefix)).filter((rows) => rows.length > 0);
  const isCommon = (row: string[]) => alternatives.every((rows) => rows.some((other) => `${other}` === `${row}`));
  const own = Object.entries(properties).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const optional = required.includes(name) ? "" : ", optional";
    const nested = property.items ? rowsOf(property.items, `${path}[].`) : rowsOf(property, `${path}.`);
    return [[`\`${path}\``, typeOf(property) + optional, property.description ?? ""], ...nested];
  });
  const [common = []] = alternatives.map((rows) => rows.filter(isCommon));
  return [...own, ...common, ...alternatives.flatMap((rows) => rows.filter((row) => !isCommon(row)))];
}

function typeOf(schema: JsonSchema): string {
  const { $ref, type, items, allOf, anyOf, oneOf, enum: values, const: constant, format } = schema;
  if ($ref) {
    const named = typeOf(referenced(schema));
    const linked = links.get($ref);
    return linked ? linked + (named.endsWith(" or null") ? " or null" : "") : named;
  }
  if (allOf?.[0]) return typeOf(allOf[0]).replace(/\)$/, ") and:");
  const options = anyOf ?? oneOf;
  if (options) return [...new Set(options.map(typeOf))].join(" or ");
  if (values) return values.map((value) => (value === null ? "null" : `\`${JSON.stringify(value)}\``)).join(" or ");
  if (constant !== undefined) return `\`${JSON.stringify(constant)}\``;
  if (type === "array") return `list of ${typeOf(items ?? {})}`;
  if (format === "date-time") return [type].flat().join(" or ").replace("string", "time");
  return [type ?? "any"].flat().join(" or ");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return `${[line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n")}\n`;
}

function inWords(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
