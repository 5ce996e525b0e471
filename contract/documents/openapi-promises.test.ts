import { expect, test } from "@jest/globals";
import * as z from "zod/mini";
import { routes } from "../../test/support/routes.ts";
import { isLoopbackRedirect } from "../api/login/authorization-request.ts";
import { pathProblem } from "../api/releases/manifest-rules.ts";
import { httpsUrl } from "../api/route.ts";
import { openApiDocument } from "./openapi.ts";

/*
 * The OpenAPI document says what the service checks, so that a generated client refuses it too.
 */

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly uniqueItems?: boolean;
  readonly not?: unknown;
  readonly properties?: Record<string, Schema>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly description?: string;
}

const document = openApiDocument() as {
  servers: { url: string; variables?: Record<string, { default: string }> }[];
  paths: Record<string, Record<string, { parameters?: Parameter[]; responses: object }>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
};
const { schemas } = document.components;

/** The schema of a member of a request: `CreateReleaseRequest.files.path`. */
function schemaAt(place: string): Schema {
  const [name = "", ...members] = place.split(".");
  return members.reduce<Schema>((schema, member) => {
    const found = (schema.items ?? schema).properties?.[member];
    if (found === undefined) throw new Error(`${place} is not in the document`);
    return found.anyOf?.[0] ?? found;
  }, schemas[name] as Schema);
}

test("no property and no parameter is without a description", () => {
  const silent: string[] = [];
  const look = (value: unknown, path: string) => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (path.endsWith("/properties") && !member.description) silent.push(`${path}/${name}`);
      if (name !== "not") look(member, `${path}/${name}`);
    }
  };
  look(schemas, "");
  for (const [path, operations] of Object.entries(document.paths))
    for (const { parameters = [] } of Object.values(operations))
      silent.push(
        ...[...parameters, ...Object.values(document.components.parameters)]
          .filter(({ $ref, description }) => !$ref && !description)
          .map(({ name }) => `${path} ${name}`),
      );
  expect(silent).toEqual([]);
});

test("lists that must not repeat an entry say so", () => {
  const requests = ["CreateTokenRequest", "ApproveAuthorizationRequest"];
  const lists = requests.flatMap((name) => [`${name}.scopes`, `${name}.projects`]);
  for (const place of lists) expect({ place, ...schemaAt(place) }).toMatchObject({ place, uniqueItems: true });
});

test("a token's expiry is given in one way only", () => {
  expect(schemas["CreateTokenRequest"]?.not).toMatchObject({ required: ["expires_at", "expires_in_days"] });
});

test.each([
  ["https://images.example/ada.png", true],
  ["HTTPS://images.example/ada.png", true],
  ["http://images.example/ada.png", false],
  ["https:images.example/ada.png", false],
  ["ftp://images.example/", false],
  ["https://github.com@images.example/ada.png", false],
  ["https://ada:secret@images.example/", false],
  ["https://images.example/@ada?to=a@b#@", true],
])("the URL %s is taken: %p", (url, isTaken) => {
  expect(z.safeParse(httpsUrl(100), url).success).toBe(isTaken);
  for (const place of ["UpdateMeRequest.avatar", "CreateReleaseRequest.source.run_url"]) {
    const { format, pattern = "" } = schemaAt(place);
    expect({ place, format, matches: new RegExp(pattern).test(url) }).toEqual({
      place,
      format: "uri",
      matches: isTaken,
    });
  }
});

test.each([
  ["index.html", true],
  [".well-known/a b/ü.txt", true],
  ["a..b/...", true],
  ["", false],
  ["/index.html", false],
  ["a//b", false],
  ["a/", false],
  ["./a", false],
  ["a/../b", false],
  ["..", false],
  ["a\\b", false],
  ["a%20b", false],
  ["a?b", false],
  ["a\u0000b", false],
  ["a\nb/../c", false],
])("the path %j is taken: %p", (path, isTaken) => {
  expect(pathProblem(path) === undefined).toBe(isTaken);
  expect(new RegExp(schemaAt("CreateReleaseRequest.files.path").pattern ?? "").test(path)).toBe(isTaken);
});

test.each([
  ["http://127.0.0.1:49152/", true],
  ["http://[::1]/callback?x=1", true],
  ["http://localhost:49152/", false],
  ["https://127.0.0.1/", false],
  ["http://127.0.0.1/#fragment", false],
  ["http://127.0.0.1/a b", false],
])("the redirect %s is taken: %p", (redirect, isTaken) => {
  expect(isLoopbackRedirect(redirect)).toBe(isTaken);
  const { pattern = "" } = schemaAt("ApproveAuthorizationRequest.redirect_uri");
  expect(new RegExp(pattern).test(redirect)).toBe(isTaken);
});

test("the servers are absolute: a stage by its host name, and one machine", () => {
  expect(document.servers).toHaveLength(2);
  const [stage, machine] = document.servers;
  expect(stage?.url.replace(/\{(\w+)\}/g, (_, name) => stage.variables?.[name]?.default ?? "")).toBe(
    "https://api.example.com",
  );
  expect(machine?.url).toBe("http://127.0.0.1:8787");
});

test("links lead from opening a release to publishing it, with the parameters of the next route", () => {
  const found: string[] = [];
  for (const [path, operations] of Object.entries(document.paths))
    for (const response of Object.values(operations).flatMap(({ responses }) => Object.values(responses)))
      for (const { operationId, parameters } of Object.values<{ operationId: keyof typeof routes; parameters: object }>(
        response.links ?? {},
      )) {
        const next = routes[operationId].path;
        expect(Object.keys(parameters)).toEqual(next.match(/(?<=:)\w+/g));
        found.push(`${path} → ${next}`);
      }
  expect([...new Set(found)]).toEqual([
    "/projects/{slug}/releases → /projects/:slug/releases/:id/uploads",
    "/projects/{slug}/releases → /projects/:slug/releases/:id/publish",
    "/projects/{slug}/releases/{id}/uploads → /projects/:slug/releases/:id/publish",
  ]);
});

test("the step between, PUT to the store, is told where its URLs come from", () => {
  expect(document.paths["/projects/{slug}/releases/{id}/uploads"]?.["post"]).toMatchObject({
    description: expect.stringMatching(/by PUT, with exactly the headers beside it[\s\S]*412 if it has the file/),
  });
});
