import { readFile } from "node:fs/promises";
import { expect, test } from "@jest/globals";
import { Validator } from "@seriousme/openapi-schema-validator";
import * as z from "zod/mini";
import { type RouteName, routes, routesOfAllMethods } from "../../test/support/routes.ts";
import { oauthError } from "../api/login/oauth.ts";
import { validationProblem } from "../api/problem.ts";
import type { Route } from "../api/route.ts";
import { documentedRoutes } from "./documented-routes.ts";
import { errorExamples, examplesOf } from "./examples.ts";
import { openApiDocument } from "./openapi.ts";

const document = openApiDocument();

// It compares with `===`: a difference of two such texts takes seconds.
test("contract/documents/openapi.json is current; `npm run openapi` writes it", async () => {
  const file = await readFile(new URL("openapi.json", import.meta.url), "utf8");
  expect(file === `${JSON.stringify(document, null, 2)}\n`).toBe(true);
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

test("accounts are staging, all else is a source preview, and each tag says so", () => {
  const staging = ["Accounts"];
  const label = (tag: string) => (tag === "Service" ? undefined : staging.includes(tag) ? "staging" : "source-preview");
  const { tags } = document as { tags: { name: string; description: string; "x-availability"?: string }[] };
  for (const { name, description, "x-availability": own } of tags) {
    expect({ name, own }).toEqual({ name, own: label(name) });
    expect(description.endsWith(` Availability: ${label(name)}.`)).toBe(label(name) !== undefined);
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

test("a route that receives all methods of its path names the methods of the others, so that Allow is complete", () => {
  const ofAllMethods = routesOfAllMethods();
  for (const [name, route] of Object.entries<Route>(routes)) {
    const others = Object.values(routes).filter(({ path, method }) => path === route.path && method !== route.method);
    const expected = ofAllMethods.has(name as RouteName) ? others.map(({ method }) => method).sort() : [];
    expect({ name, others: [...(route.otherMethods ?? [])].sort() }).toEqual({ name, others: expected });
  }
});

test("every route is in the document once, under its name, except those that only pages of the service and browsers send", () => {
  const paths = document["paths"] as Record<string, Record<string, { operationId: string }>>;
  const ids = Object.values(paths).flatMap((operations) =>
    Object.values(operations).map(({ operationId }) => operationId),
  );
  const others = Object.keys(routes).filter(
    (name) => !["sendReports", "sendSaves", "sendTelemetry", "takeSaves"].includes(name),
  );
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

test("the document has at most 250 kB as it is sent", () => {
  expect(JSON.stringify(document).length).toBeLessThan(250_000);
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
