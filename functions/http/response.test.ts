import { expect, test } from "@jest/globals";
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { getMe } from "../../contract/api/accounts/accounts.ts";
import type { ErrorCode } from "../../contract/api/errors.ts";
import { ServiceError } from "../domain/service-error.ts";
import { lambdaResult, problemResponse } from "./response.ts";

test("a body is JSON unless it is bytes, and a response without one has no type", () => {
  const of = (response: object) => lambdaResult(response as never);
  const json = { "content-type": "application/json" };
  expect(of({ status: 200, body: { a: 1 } })).toEqual({ statusCode: 200, headers: json, body: '{"a":1}' });
  expect(of({ status: 204, body: undefined })).toEqual({ statusCode: 204, headers: {} });
  const bytes = { status: 200, headers: { etag: "1" }, body: Buffer.from("a") };
  expect(of(bytes)).toEqual({ statusCode: 200, headers: { etag: "1" }, body: "YQ==", isBase64Encoded: true });
});

test.each<[ErrorCode, string | undefined]>([
  ["files_being_deleted", "10"],
  ["identity_provider_unavailable", "5"],
  ["temporarily_unavailable", "1"],
  ["too_many_guesses", "600"],
  ["token_not_found", undefined],
])("after %s a client may try again in %s seconds", (code, seconds) => {
  const event = { requestContext: { requestId: "r1" } } as APIGatewayProxyEventV2;
  expect(problemResponse(getMe, new ServiceError(code), event).headers?.["retry-after"]).toBe(seconds);
});
