import { expect, test } from "@jest/globals";
import { errors } from "../api/errors.ts";
import type { Route } from "../api/route.ts";
import { routes } from "../api/routes.ts";
import { openApiDocument } from "./openapi.ts";

/*
 * What the OpenAPI document says of refusals: which codes at which route and status, and what API Gateway sends itself.
 */

interface Reference {
  readonly $ref: string;
}

interface Response {
  readonly description: string;
  readonly content: Record<string, { readonly schema: Reference | { readonly anyOf: readonly Reference[] } }>;
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

/** The schemas of a refusal's bodies by their names. */
function schemasOf(response: Response | Reference | undefined): string[] {
  const { content = {} } = resolved(response);
  const references = Object.values(content).flatMap(({ schema }) => ("anyOf" in schema ? schema.anyOf : [schema]));
  return references.map(({ $ref }) => $ref.replace("#/components/schemas/", ""));
}

/** The codes that a generated client can switch on at an operation's status. */
function codesAt(operationId: string, status: number): string[] {
  const operation = operations.find((each) => each.operationId === operationId);
  const name = operation && schemasOf(operation.responses[status]).find((each) => each !== "GatewayError");
  const schema = document.components.schemas[name ?? ""] as { allOf: [object, { properties: object }] } | undefined;
  return Object.values(schema?.allOf[1].properties ?? {}).flatMap((member) => member.enum);
}

test.each([
  ["createToken", 409, ["idempotency_key_in_use", "idempotency_result_gone", "token_limit_reached"]],
  ["revokeToken", 404, ["token_not_found"]],
  ["createUploads", 412, []],
  ["exchangeGrant", 401, ["invalid_client"]],
  ["exchangeGrant", 500, ["server_error"]],
  ["getDeviceRequest", 429, ["too_many_guesses"]],
] as const)("%s has at %i the codes %j", (operationId, status, codes) => {
  const operation = operations.find((each) => each.operationId === operationId);
  expect(operation?.responses[status] === undefined ? [] : codesAt(operationId, status)).toEqual(codes);
});

test("each code stands at a status of its own, and each error of the service at some route", () => {
  const seen = new Set<string>();
  for (const { operationId, responses } of operations)
    for (const status of Object.keys(responses).map(Number))
      for (const code of status < 400 ? [] : codesAt(operationId, status)) {
        const expected = code === "server_error" ? 500 : errors[code as keyof typeof errors].status;
        expect({ operationId, code, status }).toEqual({ operationId, code, status: expected });
        seen.add(code);
      }
  const ofNoRoute = ["route_not_found", "method_not_allowed", "too_many_requests"];
  // Of a route that only a page of the service sends.
  ofNoRoute.push("telemetry_grant_invalid", "origin_not_allowed", "profile_conflict", "profile_full");
  expect([...seen, ...ofNoRoute].sort()).toEqual([...Object.keys(errors), "server_error"].sort());
});

test("API Gateway's own responses are named where it sends them, with their own body", () => {
  for (const { operationId, responses } of operations) {
    const { params, body } = (routes as Record<string, Route>)[operationId] as Route;
    const statuses = Object.keys(responses).filter((status) => {
      return Number(status) >= 400 && schemasOf(responses[status]).includes("GatewayError");
    });
    const expected = [400, ...(params ? [404] : []), ...(body ? [413] : []), 429, 500, 503].map(String);
    expect({ operationId, statuses }).toEqual({ operationId, statuses: expected });
  }
  expect(document.components.schemas["GatewayError"]).toMatchObject({ required: ["message"] });
});
