import { expect, test } from "@jest/globals";
import { errors } from "../api/errors.ts";
import type { Route } from "../api/route.ts";
import { routes } from "../api/routes.ts";
import { openApiDocument } from "./openapi.ts";

/*
 * Refusals in the OpenAPI document: the codes of each route and status, and those that API Gateway sends itself.
 */

interface Reference {
  readonly $ref: string;
}

/** The schema of a refusal's body: that of all errors, narrowed to the codes that this one can have, as generators read it. */
interface ErrorBody {
  readonly allOf: readonly [Reference, { readonly properties: Record<string, { readonly enum: readonly string[] }> }];
}

type Body = Reference | ErrorBody;

interface Response {
  readonly description: string;
  readonly content: Record<string, { readonly schema?: Body | { readonly anyOf: readonly Body[] } }>;
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

function bodiesOf(response: Response | Reference | undefined): Body[] {
  const { content = {} } = resolved(response);
  return Object.values(content).flatMap(({ schema }) => (schema && "anyOf" in schema ? schema.anyOf : (schema ?? [])));
}

/** Those of the service's own refusals. */
function errorBodiesOf(response: Response | Reference | undefined): ErrorBody[] {
  return bodiesOf(response).filter((body) => "allOf" in body);
}

/** The codes on which a generated client can switch at an operation's status. */
function codesAt(operationId: string, status: string): string[] {
  const operation = operations.find((each) => each.operationId === operationId);
  return errorBodiesOf(operation?.responses[status]).flatMap(({ allOf: [, { properties }] }) =>
    Object.values(properties).flatMap((member) => member.enum),
  );
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
  expect([...seen, ...ofNoRoute].sort()).toEqual([...Object.keys(errors), "server_error"].sort());
});

test("the body of each refusal is a problem with codes of its own, and an OAuth error at the endpoints of RFC 6749", () => {
  for (const { operationId, responses } of operations) {
    const { form } = (routes as Record<string, Route>)[operationId] as Route;
    const bodies = Object.values(responses).flatMap(errorBodiesOf);
    expect(bodies.length).toBeGreaterThan(0);
    const member = form ? "error" : "code";
    for (const { allOf } of bodies) {
      const codes = allOf[1].properties[member]?.enum ?? [];
      const hasPlaces = codes.includes("invalid_parameters") || codes.includes("validation_failed");
      const base = form ? "OAuthError" : hasPlaces ? "ValidationProblem" : "Problem";
      expect({ operationId, allOf }).toEqual({
        operationId,
        allOf: [{ $ref: `#/components/schemas/${base}` }, { properties: { [member]: { enum: expect.anything() } } }],
      });
    }
  }
});

test("the schema of all problems has no list of codes, which a client would copy into each refusal", () => {
  expect(document.components.schemas["Problem"]).toMatchObject({ properties: { code: { type: "string" } } });
  expect(document.components.schemas["Problem"]).not.toHaveProperty("properties.code.enum");
});

test("API Gateway's own responses are named where it sends them, with their own body", () => {
  for (const { operationId, responses } of operations) {
    const { params, body } = (routes as Record<string, Route>)[operationId] as Route;
    const isGateways = (body: Body) => "$ref" in body && body.$ref === "#/components/schemas/GatewayError";
    const statuses = Object.keys(responses).filter((status) => bodiesOf(responses[status]).some(isGateways));
    const expected = ["400", ...(params ? ["404"] : []), ...(body ? ["413"] : []), "429", "431", "5XX"];
    expect({ operationId, statuses }).toEqual({ operationId, statuses: expected });
  }
  expect(document.components.schemas["GatewayError"]).toMatchObject({ required: ["message"] });
});
