import { expect, test } from "@jest/globals";
import { routes } from "../../test/support/routes.ts";
import { errors } from "../api/errors.ts";
import type { Route } from "../api/route.ts";
import { openApiDocument } from "./openapi.ts";

/*
 * Refusals in the OpenAPI document: the codes of each route and status, and those that API Gateway sends itself.
 */

interface Reference {
  readonly $ref: string;
}

interface Response {
  readonly description: string;
  readonly content: Record<string, { readonly schema?: Reference | { readonly anyOf: readonly Reference[] } }>;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, Response | Reference>;
}

const document = openApiDocument() as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown>; responses: Record<string, Response> };
};
const operations = Object.values(document.paths).flatMap((path) => Object.values(path));

/** A response, of which routes with the same refusal share one. */
function resolved(response: Response | Reference | undefined): Response {
  if (response !== undefined && !("$ref" in response)) return response;
  return document.components.responses[response?.$ref.replace("#/components/responses/", "") ?? ""] as Response;
}

function bodiesOf(response: Response | Reference | undefined): string[] {
  const { content = {} } = resolved(response);
  const schemas = Object.values(content).flatMap(({ schema }) =>
    schema && "anyOf" in schema ? schema.anyOf : (schema ?? []),
  );
  return schemas.map(({ $ref }) => $ref.replace("#/components/schemas/", ""));
}

/** The codes that the description of an operation's status lists. */
function codesAt(operationId: string, status: string): string[] {
  const response = resolved(operations.find((each) => each.operationId === operationId)?.responses[status]);
  if (!bodiesOf(response).some((body) => body === "Problem" || body === "OAuthError")) return [];
  return /: ([a-z_, ]+)(;|$)/.exec(response.description)?.[1]?.split(", ") ?? [];
}

test.each([
  ["createToken", "409", ["idempotency_key_in_use", "idempotency_result_gone", "token_limit_reached"]],
  ["revokeToken", "404", ["token_not_found"]],
  ["createUploads", "412", []],
  ["exchangeGrant", "401", ["invalid_client"]],
  ["exchangeGrant", "5XX", ["server_error", "identity_provider_unavailable", "temporarily_unavailable"]],
  ["getDeviceRequest", "429", ["too_many_guesses"]],
] as const)("%s has at %s the codes %j", (operationId, status, codes) => {
  const operation = operations.find((each) => each.operationId === operationId);
  expect(operation?.responses[status] === undefined ? [] : codesAt(operationId, status)).toEqual(codes);
});

test("each code stands at a status of its own, and each error of the service at some route", () => {
  const seen = new Set<string>();
  for (const { operationId, responses } of operations)
    for (const status of Object.keys(responses))
      for (const code of codesAt(operationId, status)) {
        const own = code === "server_error" ? 500 : errors[code as keyof typeof errors].status;
        const expected = own < 500 ? String(own) : "5XX";
        expect({ operationId, code, status }).toEqual({ operationId, code, status: expected });
        seen.add(code);
      }
  const ofNoRoute = ["route_not_found", "method_not_allowed", "too_many_requests"];
  // Errors of routes that only a page of the service calls.
  ofNoRoute.push("telemetry_grant_invalid", "origin_not_allowed", "profile_conflict", "profile_full");
  ofNoRoute.push("saves_unavailable", "saves_link_not_found", "saves_link_limit_reached");
  expect([...seen, ...ofNoRoute].sort()).toEqual([...Object.keys(errors), "server_error"].sort());
});

test("the body of each refusal is the one problem, or an OAuth error at the endpoints of RFC 6749", () => {
  for (const { operationId, responses } of operations) {
    const { form } = (routes as Record<string, Route>)[operationId] as Route;
    const refusals = Object.keys(responses).filter((status) => /^[45]/.test(status));
    const bodies = new Set(refusals.flatMap((status) => bodiesOf(responses[status])));
    expect({ operationId, bodies }).toEqual({
      operationId,
      bodies: new Set([form ? "OAuthError" : "Problem", "GatewayError"]),
    });
    for (const status of refusals)
      if (bodiesOf(responses[status]).length > 1) expect(codesAt(operationId, status)).not.toEqual([]);
  }
});

test("no body is a union with a constant or a boolean without a type, which generated clients cannot send", () => {
  const text = JSON.stringify(document.components.schemas);
  expect(text).toContain('"anyOf":[{"type":"boolean"},{"type":"string","enum":["credentialless"]}]');
  expect(text).not.toContain('"anyOf":[{"type":"boolean"},{"type":"string","const"');
});

test("the schema of all problems has no list of codes, which a client would copy into each refusal", () => {
  expect(document.components.schemas["Problem"]).toMatchObject({ properties: { code: { type: "string" } } });
  expect(document.components.schemas["Problem"]).not.toHaveProperty("properties.code.enum");
});

test("API Gateway's own responses are named where it sends them, with their own body", () => {
  for (const { operationId, responses } of operations) {
    const { params, body } = (routes as Record<string, Route>)[operationId] as Route;
    const statuses = Object.keys(responses).filter((status) => bodiesOf(responses[status]).includes("GatewayError"));
    const expected = ["400", ...(params ? ["404"] : []), ...(body ? ["413"] : []), "429", "431", "5XX"];
    expect({ operationId, statuses }).toEqual({ operationId, statuses: expected });
  }
  expect(document.components.schemas["GatewayError"]).toMatchObject({ required: ["message"] });
});
