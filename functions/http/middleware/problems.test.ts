import { afterEach, expect, jest, test } from "@jest/globals";
import { getMe } from "../../../contract/api/accounts/accounts.ts";
import { callThrough } from "../../../test/support/service/call-through.ts";
import { ServiceError } from "../../domain/service-error.ts";
import { StorageUnavailableError } from "../../storage-unavailable-error.ts";
import { problems } from "./problems.ts";

afterEach(() => {
  jest.restoreAllMocks();
});

/** The response to an error, and the log's lines. */
async function refused(error: unknown, middleware = problems(getMe)) {
  const write = jest.spyOn(process.stdout, "write").mockReturnValue(true);
  const { statusCode, body } = await callThrough([middleware], () => Promise.reject(error));
  return {
    statusCode,
    body: JSON.parse(String(body)),
    lines: write.mock.calls.map(([line]) => JSON.parse(String(line))),
  };
}

test("a refusal is a problem response and is not logged", async () => {
  expect(await refused(new ServiceError("token_not_found"))).toMatchObject({
    statusCode: 404,
    body: { type: "urn:svc:error:token_not_found", status: 404, code: "token_not_found", request_id: "r1" },
    lines: [],
  });
});

test("in a stage a refusal is counted by its code, and a failure of the service is not", async () => {
  process.env["SVC_STAGE"] = "staging";
  const { lines } = await refused(new ServiceError("token_not_found"));
  expect(lines).toMatchObject([{ level: "info", refusal: "token_not_found", Refusals: 1 }]);
  jest.restoreAllMocks();
  expect((await refused(new Error("a fault"))).lines).toMatchObject([{ code: "internal_error" }]);
  delete process.env["SVC_STAGE"];
});

test("storage that cannot be reached is temporary: 503, and a warning with its cause", async () => {
  expect(await refused(new StorageUnavailableError(new Error("throttled")))).toMatchObject({
    statusCode: 503,
    body: { code: "temporarily_unavailable" },
    lines: [{ level: "warn", request_id: "r1", route: "GET /me", error: { message: "throttled" } }],
  });
});

test("any other error is ours: 500 without its message, which the log has", async () => {
  const { statusCode, body, lines } = await refused(new Error("a secret place"));
  expect({ statusCode, lines }).toMatchObject({
    statusCode: 500,
    lines: [{ level: "error", code: "internal_error", error: { message: "a secret place" } }],
  });
  expect(JSON.stringify(body)).not.toContain("secret");
});

test("the reason for which an ID token is refused is logged, and not sent", async () => {
  const { body, lines } = await refused(new ServiceError("id_token_invalid", { reason: "aud is another" }));
  expect(lines).toMatchObject([{ level: "warn", reason: "aud is another" }]);
  expect(JSON.stringify(body)).not.toContain("aud is another");
});

test("a route may have error responses of its own", async () => {
  const own = problems(getMe, (_, { code }) => ({ statusCode: 400, body: JSON.stringify({ error: code }) }));
  expect(await refused(new ServiceError("invalid_grant"), own)).toMatchObject({
    statusCode: 400,
    body: { error: "invalid_grant" },
  });
});
