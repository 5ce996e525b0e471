import { expect, test } from "@jest/globals";
import { addressRefusal } from "../../../contract/api/address-refusal.ts";
import { problem } from "./problem.ts";

test("a network address that is refused is told so, and when to try again", () => {
  const { status, headers, body } = addressRefusal;
  const response = {
    status,
    headers: { ...headers, "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(body)),
  };
  expect(problem(response as Parameters<typeof problem>[0], "https://api.example.com")).toMatchObject({
    message: "Too many requests come from your network address. Wait a minute, then try again.",
    code: "too_many_requests",
    retryAfterMilliseconds: 60_000,
  });
});
