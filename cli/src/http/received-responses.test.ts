import { expect, test } from "@jest/globals";
import { goodMe } from "../../../test/support/network/misbehaving-server.ts";
import { ReceivedResponses } from "./received-responses.ts";

const api = new URL("https://api.svc.example/");
const fault = new TypeError("Cannot read properties of undefined");

function received(body: object, failure: unknown = fault): Promise<unknown> {
  const responses = new ReceivedResponses();
  responses.note({
    api,
    line: "GET /me",
    response: { status: 200, header: () => undefined, body: JSON.stringify(body) },
  });
  return responses.explain(failure);
}

test.each<[string, object]>([
  ["as the contract has it", goodMe],
  ["of a newer API, with a member more", { ...goodMe, mood: "good" }],
])("a fault of svc after a response %s is svc's own", async (_, body) => {
  expect(await received(body)).toBe(fault);
});

test("a fault of svc before any response is svc's own", async () => {
  expect(await new ReceivedResponses().explain(fault)).toBe(fault);
});

test("a fault after a response that breaks the contract is the API's, and keeps what failed", async () => {
  expect(await received({ ...goodMe, user: null })).toMatchObject({ code: "unexpected_response", cause: fault });
});

test("another failure is not judged by responses", async () => {
  const failure = new Error("ENOSPC");
  expect(await received({ user: null }, failure)).toBe(failure);
});
