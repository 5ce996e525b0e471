import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "@jest/globals";
import { Validator } from "@seriousme/openapi-schema-validator";
import * as z from "zod/mini";
import { oauthError } from "../api/login/oauth.ts";
import { validationProblem } from "../api/problem.ts";
import type { Route } from "../api/route.ts";
import { type RouteName, routes, routesOfAllMethods } from "../api/routes.ts";
import { apiReference } from "./api-reference.ts";
import { documentedRoutes } from "./documented-routes.ts";
import { errorExamples, examplesOf } from "./examples.ts";
import { openApiDocument } from "./openapi.ts";

const document = openApiDocument();

// Both compare with `===`: a difference of two such texts takes seconds.
test("contract/documents/openapi.json is current; `npm run openapi` writes it", async () => {
  const file = await readFile(new URL("openapi.json", import.meta.url), "utf8");
  expect(file === `${JSON.stringify(document, null, 2)}\n`).toBe(true);
});

test("docs/api has a current page for every tag and no other file; `npm run openapi` writes them", async () => {
  const directory = new URL("../../docs/api/", import.meta.url);
  const pages = apiReference();
  expect((await readdir(directory)).sort()).toEqual(Object.keys(pages).sort());
  for (const [name, page] of Object.entries(pages))
    expect({ name, isCurrent: (await readFile(new URL(name, directory), "utf8")) === page }).toEqual({
      name,
      isCurrent: true,
    });
});

test("the OpenAPI document is valid", async () => {
  const { valid, errors } = await new Validator().validate(openApiDocument());
  expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
});

test("the validator would notice an invalid document", async () => {
  const { valid } = await new Validator().validate({
    ...document,
    paths: { "/x": { get: { responses: 1 } } },
  });
  expect(valid).toBe(false);
});

test("accounts are staging, all else is a source preview, and each tag and page says so", () => {
  const staging = ["Accounts"];
  const label = (tag: string) => (tag === "Service" ? undefined : staging.includes(tag) ? "staging" : "source-preview");
  const { tags } = document as { tags: { name: string; description: string; "x-availability"?: string }[] };
  for (const { name, description, "x-availability": own } of tags) {
    expect({ name, own }).toEqual({ name, own: label(name) });
    expect(description.endsWith(` Availability: ${label(name)}.`)).toBe(label(name) !== undefined);
    expect(apiReference()[`${name.toLowerCase()}.md`]?.includes(`Availability: \`${label(name)}\`.`)).toBe(
      label(name) !== undefined,
    );
  }
});

test("the description shows publishing in four requests, three of which are operations of the document", () => {
  const { info, paths } = document as { info: { description: string }; paths: Record<string, object> };
  const story = /Publishing takes four requests: .*?makes it live\./.exec(info.description)?.[0] ?? "";
  const named = [...story.matchAll(/`(POST|PUT)(?: (\/[^`]+))?`/g)].map(([, method, path]) => [method, path]);
  expect(named.map(([method]) => method)).toEqual(["POST", "POST", "PUT", "POST"]);
  for (const [method = "", path] of named)
    if (path !== undefined) expect(paths[path]).toHaveProperty(method.toLowerCase());
});

test("every route stands on the page of its tag, once, and the first page links every tag's page", () => {
  const { "README.md": shared = "", ...pages } = apiReference();
  for (const [, { method, path, tag }] of documentedRoutes) {
    const title = `\n## \`${method} ${path}\`\n`;
    const found = Object.entries(pages).flatMap(([name, page]) =>
      page
        .split(title)
        .slice(1)
        .map(() => name),
    );
    expect({ title, found }).toEqual({ title, found: [`${tag.toLowerCase()}.md`] });
    expect(shared).toContain(`\n- [${tag}](${tag.toLowerCase()}.md): `);
  }
});

test("a route that receives all methods of its path names the methods of the others, so that Allow is complete", () => {
  const ofAllMethods = routesOfAllMethods();
  for (const [name, route] of Object.entries<Route>(routes)) {
    const others = Object.values(routes).filter(({ path, method }) => path === route.path && method !== route.method);
    const expected = ofAllMethods.has(name as RouteName) ? others.map(({ method }) => method).sort() : [];
    expect({ name, others: [...(route.otherMethods ?? [])].sort() }).toEqual({ name, others: expected });
  }
});

test("every route is in the document once, under its name, except those that only a page of the service sends", () => {
  const paths = document["paths"] as Record<string, Record<string, { operationId: string }>>;
  const ids = Object.values(paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId),
  );
  const others = Object.keys(routes).filter((name) => name !== "sendTelemetry");
  expect(ids.sort()).toEqual(others.sort());
});

const bodies = documentedRoutes.flatMap(([name, { body, responses }]) => [
  ...(body ? [[`${name}.request`, body, examplesOf(name).request] as const] : []),
  ...Object.values(responses).flatMap((schema) =>
    schema ? [[`${name}.response`, schema, examplesOf(name).response] as const] : [],
  ),
]);

test.each([
  ...bodies,
  ["Problem", validationProblem, errorExamples.Problem] as const,
  ["OAuthError", oauthError, errorExamples.OAuthError] as const,
])("the example of %s, made of those of its fields, fits its schema", (_, schema, example) => {
  expect(z.safeParse(schema, example).error?.issues).toBeUndefined();
});

test("every body of a request and of a success has its example in docs/api, or links to an object, which has one", () => {
  const reference = Object.values(apiReference()).join("\n");
  expect(reference).toContain(JSON.stringify(errorExamples.Problem, null, 2));
  const hasExample = (body: unknown) => reference.includes(`\n${JSON.stringify(body, null, 2)}\n`);
  for (const [name, { method, path, form }] of documentedRoutes) {
    const { request, response } = examplesOf(name);
    if (form) expect(reference).toContain(`\n${new URLSearchParams(request as Record<string, string>)}\n`);
    else if (request) expect({ name, hasExample: hasExample(request) }).toEqual({ name, hasExample: true });
    if (response === undefined || hasExample(response)) continue;
    const [ofRoute = ""] = reference.split(`\n## \`${method} ${path}\`\n`)[1]?.split("\n## ") ?? [];
    expect(ofRoute).toMatch(/\nResponse 20.*:(?:.|\n)*\]\(\w+\.md#the-/);
  }
  for (const [, object = ""] of reference.matchAll(/\n## The (?!event type)(.*?)(?=\n## |$)/gs))
    expect(object).toContain("\n```json\n");
});

test.each([
  ["accounts.md#the-user", "Whether the identity provider has verified the email address."],
  ["accounts.md#the-developer", "Since when the account is a developer's."],
  ["accounts.md#the-account-event", "For a disclosed token: the URL where it was found."],
  ["tokens.md#the-token", "The last four characters of the raw token."],
  ["projects.md#the-project", "What visitors see; null if nothing is live."],
  ["members.md#the-member", "Names the member in this project; null for its owner."],
  ["members.md#the-invitation", "The uid of the only user who can accept it; null for a link."],
  ["members.md#the-received-invitation", "What everybody may see of it."],
  ["publishers.md#the-publisher", "The path of the pipeline's file."],
  ["publishers.md#the-publisher-to-add", "The path of the pipeline's file in that project."],
  ["publishers.md#the-pending-publisher", "Which jobs create the project by their first publication."],
  ["releases.md#the-release", "How many files it has."],
  ["releases.md#the-preview", "Whether it is kept for 30 days after its last change instead of 7."],
  ["releases.md#the-upload-urls", "One for each hash."],
  ["profiles.md#the-profile", "Browser and graphics card; null before it measures."],
])("%s describes once what several bodies have, and they link to it", (target, meaning) => {
  const pages = apiReference();
  const found = Object.entries(pages).flatMap(([name, page]) =>
    page
      .split("\n## ")
      .filter((section) => section.includes(`| ${meaning} |`))
      .map((section) => `${name}#${section.split("\n")[0]?.toLowerCase().replaceAll(" ", "-")}`),
  );
  expect(found).toEqual([target]);
  expect(Object.values(pages).join("\n").split(`](${target})`).length).toBeGreaterThan(3);
});

type Json = Record<string, unknown>;

/** Every member of a document by its path, also nested ones. */
function membersOf(value: unknown, path = ""): [string, Record<string, unknown>][] {
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.entries(value).flatMap(([name, member]) => membersOf(member, `${path}/${name}`));
  return [[path, value as Record<string, unknown>], ...inside];
}

test("a response may get more fields without breaking a client that validates it", () => {
  const closed = membersOf(document["components"])
    .filter(([, { additionalProperties }]) => additionalProperties === false)
    .map(([path]) => path.split("/")[2]);
  expect(closed.length).toBeGreaterThan(5);
  expect(closed.filter((name) => !name?.endsWith("Request"))).toEqual([]);
});

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly example?: unknown;
}

interface Operation {
  readonly operationId: RouteName;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, unknown>>;
}

const operationsOf = (document: Json) =>
  Object.values(document["paths"] as Record<string, Record<string, Operation>>).flatMap((path) => Object.values(path));

test("every parameter has an example, which the service takes", () => {
  const { parameters: shared } = document["components"] as { parameters: Record<string, Parameter> };
  for (const { operationId, parameters = [] } of operationsOf(document)) {
    const all = parameters.map((each) => (each.$ref ? shared[each.$ref.split("/").at(-1) ?? ""] : each) as Parameter);
    expect(all.filter(({ example }) => example === undefined)).toEqual([]);
    const { params, query }: Route = routes[operationId];
    const examplesIn = (place: string) =>
      Object.fromEntries(all.filter((each) => each.in === place).map(({ name, example }) => [name, example]));
    if (params) expect(z.safeParse(params, examplesIn("path")).error?.issues).toBeUndefined();
    if (query) expect(z.safeParse(query, examplesIn("query")).error?.issues).toBeUndefined();
  }
});

/** The refusals of all operations at statuses like this. */
function refusalsOf(status = /^[45]/): Json[] {
  const all = operationsOf(document).flatMap(({ responses }) => Object.entries(responses));
  return all.flatMap(([each, response]) => (status.test(each) ? [response as Json] : []));
}

test("a refusal that several routes have stands in the document once, one of a single route in that route", () => {
  const { responses: shared } = document["components"] as { responses: Record<string, Json> };
  const refusals = refusalsOf();
  expect(refusals.length).toBeGreaterThan(400);
  const names = refusals.flatMap(({ $ref }) => (typeof $ref === "string" ? [$ref] : []));
  for (const name of Object.keys(shared))
    expect(names.filter((each) => each === `#/components/responses/${name}`).length).toBeGreaterThan(1);
  const whole = [...refusals.filter(({ $ref }) => $ref === undefined), ...Object.values(shared)];
  expect(new Set(whole.map((each) => JSON.stringify(each))).size).toBe(whole.length);
});

test("every 429 and 5XX that the service makes may say after how many seconds to try again", () => {
  const { responses } = document["components"] as { responses: Record<string, Json> };
  const temporary = ["TooManyCreations", "TooManyGuesses", "InternalError"];
  const shared = Object.entries(responses).filter(([name]) => temporary.includes(name) || /ServerError/.test(name));
  expect(shared.length).toBeGreaterThan(temporary.length);
  const ofOne = refusalsOf(/^(429|5XX)$/).filter(({ $ref }) => $ref === undefined);
  expect(ofOne).not.toEqual([]);
  const silent = [...shared.map(([, response]) => response), ...ofOne].filter(
    ({ headers }) => !Object.hasOwn((headers as object) ?? {}, "retry-after"),
  );
  expect(silent).toEqual([]);
});

test("a schema that adds fields to a named one refers to it", () => {
  const { schemas } = document["components"] as { schemas: Record<string, { allOf?: Json[] }> };
  for (const [name, base] of [
    ["ChangedProject", "Project"],
    ["WithdrawReleaseResponse", "Release"],
    ["CreatedToken", "Token"],
  ] as const) {
    expect(schemas[name]?.allOf?.[0]).toEqual({ $ref: `#/components/schemas/${base}` });
    expect(JSON.stringify(schemas[name]).length).toBeLessThan(500);
  }
});

test("the document has at most 195 kB as it is sent", () => {
  expect(JSON.stringify(document).length).toBeLessThan(195_000);
});

test("every body has a name, so that generated types have one", () => {
  const bodies = [...membersOf(document["paths"]), ...membersOf((document["components"] as Json)["responses"])].filter(
    ([path]) => path.endsWith("/schema") && path.includes("/content/"),
  );
  expect(bodies.length).toBeGreaterThan(20);
  const isNamed = ({ $ref }: Json) => String($ref).startsWith("#/components/schemas/");
  const nameless = bodies.filter(([, schema]) => !((schema["anyOf"] as Json[]) ?? [schema]).every(isNamed));
  expect(nameless).toEqual([]);
  const { schemas } = document["components"] as { schemas: object };
  expect(Object.keys(schemas)).toEqual(expect.arrayContaining(["Account", "Token", "Project", "Release", "Problem"]));
});

test("every list in a request has a greatest length, because zod cannot report a million mistakes", () => {
  const lists = membersOf(document["components"]).filter(
    ([path, { type }]) => /^\/schemas\/\w+Request\//.test(path) && type === "array",
  );
  expect(lists.length).toBeGreaterThan(3);
  expect(lists.filter(([, { maxItems }]) => maxItems === undefined).map(([path]) => path)).toEqual([]);
});
