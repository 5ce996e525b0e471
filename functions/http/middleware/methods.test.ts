import { expect, test } from "@jest/globals";
import { getMe } from "../../../contract/api/accounts/accounts.ts";
import { createToken } from "../../../contract/api/tokens/tokens.ts";
import { callThrough } from "../../../test/support/service/call-through.ts";
import { responseHeaders } from "./headers.ts";
import { methods } from "./methods.ts";
import { problems } from "./problems.ts";

const respond = async () => ({ statusCode: 200 });
const allow = "GET, HEAD, PATCH, DELETE";

test.each(["GET", "HEAD"])("%s of a route that is read reaches its function", async (method) => {
  expect(await callThrough([methods(getMe)], respond, method)).toEqual({ statusCode: 200 });
});

test("OPTIONS gets the list of the path's methods", async () => {
  expect(await callThrough([methods(getMe)], respond, "OPTIONS")).toEqual({ statusCode: 204, headers: { allow } });
});

test("OPTIONS of a path with one route gets its methods alone", async () => {
  const { otherMethods: _, ...alone } = getMe;
  expect(await callThrough([methods(alone)], respond, "OPTIONS")).toEqual({
    statusCode: 204,
    headers: { allow: "GET, HEAD" },
  });
});

test.each([
  ["any other method", "PUT", getMe, allow],
  ["HEAD of a route that changes something", "HEAD", createToken, "POST"],
])("%s is refused, with the list", async (_, method, route, allow) => {
  const middlewares = [responseHeaders(route), problems(route), methods(route)];
  const { statusCode, headers } = await callThrough(middlewares, respond, method);
  expect({ statusCode, headers }).toMatchObject({ statusCode: 405, headers: { allow } });
});
