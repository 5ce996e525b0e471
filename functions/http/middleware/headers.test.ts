import { expect, test } from "@jest/globals";
import { getMe, getUser } from "../../../contract/api/accounts/accounts.ts";
import { apiVersion } from "../../../contract/api/version.ts";
import { callThrough } from "../../../test/support/service/call-through.ts";
import { ServiceError } from "../../domain/service-error.ts";
import { responseHeaders } from "./headers.ts";
import { problems } from "./problems.ts";

const common = { "svc-version": apiVersion, "svc-request-id": "r1" };

test("a response has the version and the request's id, and is not cached if a credential is required", async () => {
  const respond = async () => ({ statusCode: 200, headers: { etag: "1" } });
  expect(await callThrough([responseHeaders(getUser)], respond)).toEqual({
    statusCode: 200,
    headers: { ...common, etag: "1" },
  });
  expect((await callThrough([responseHeaders(getMe)], respond)).headers).toEqual({
    ...common,
    etag: "1",
    "cache-control": "no-store",
  });
});

test("a response replaces a header of every response, and is replaced by what the way of the request adds", async () => {
  const { headers } = await callThrough([responseHeaders(getMe)], async ({ addedHeaders }) => {
    addedHeaders["etag"] = "added";
    return { statusCode: 200, headers: { "cache-control": "public", etag: "1" } };
  });
  expect(headers).toEqual({ ...common, "cache-control": "public", etag: "added" });
});

test("a problem response has them too", async () => {
  const { headers } = await callThrough([responseHeaders(getUser), problems(getUser)], async ({ addedHeaders }) => {
    addedHeaders["etag"] = "added";
    throw new ServiceError("user_not_found");
  });
  expect(headers).toMatchObject({ ...common, etag: "added", "content-type": "application/problem+json" });
});

test("what one call adds is not in the response of the next", async () => {
  const middleware = responseHeaders(getUser);
  await callThrough([middleware], async ({ addedHeaders }) => {
    addedHeaders["etag"] = "added";
    return { statusCode: 200 };
  });
  const { headers } = await callThrough([middleware], async () => ({ statusCode: 200 }));
  expect(headers).toEqual(common);
});
