import { expect, test } from "@jest/globals";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { limits } from "../../contract/api/limits.ts";
import type { Route } from "../../contract/api/route.ts";
import { routes } from "../../test/support/routes.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";

const event = {
  headers: { "idempotency-key": "one" },
  pathParameters: { id: "a" },
  body: "{}",
} as unknown as APIGatewayProxyEventV2;
const read = (route: Route, changes: Partial<APIGatewayProxyEventV2> = {}) =>
  readIdempotencyKey(route, { ...event, ...changes });

test("the fingerprint of a request has its route, path parameters and body", () => {
  const requests = [
    read(routes.createToken),
    read(routes.createProject),
    read(routes.createToken, { pathParameters: { id: "b" } }),
    read(routes.createToken, { body: "{ }" }),
  ];
  expect(new Set(requests.map((request) => request?.fingerprint)).size).toBe(requests.length);
  expect(read(routes.createToken)).toEqual(requests[0]);
  expect(read(routes.createToken, { body: btoa("{}"), isBase64Encoded: true })).toEqual(requests[0]);
});

test("a request without the header has no key", () => {
  expect(read(routes.createToken, { headers: {} })).toBeUndefined();
});

test("only a route that creates something takes a key", () => {
  expect(read(routes.publishRelease)).toBeUndefined();
  expect(read(routes.updateMe, { headers: { "idempotency-key": "two words" } })).toBeUndefined();
});

test.each([
  ["aZ0_.~:+/=-", "aZ0_.~:+/=-"],
  ['"aZ0_.~:+/=-"', "aZ0_.~:+/=-"],
  ["  one\t", "one"],
  ["k".repeat(limits.idempotencyKeyLength), "k".repeat(limits.idempotencyKeyLength)],
])("the header %j names the key %j", (header, value) => {
  expect(read(routes.createToken, { headers: { "idempotency-key": header } })?.value).toBe(value);
});

test.each([
  "",
  '""',
  '"one',
  'one"',
  "one, one",
  '"one" "two"',
  "ö",
  '"ö"',
  "k".repeat(limits.idempotencyKeyLength + 1),
])("the header %j is no key", (header) => {
  expect(() => read(routes.createToken, { headers: { "idempotency-key": header } })).toThrow(
    expect.objectContaining({ code: "idempotency_key_invalid" }),
  );
});
