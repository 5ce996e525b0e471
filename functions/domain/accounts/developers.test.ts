import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Identity } from "../../entities/account.ts";
import { assertMayBecomeDeveloper } from "./developers.ts";

const environment = { ...process.env };
beforeEach(() => {
  process.env["DEVELOPER_EMAIL_DOMAINS"] = "example.test,studio.example";
  process.env["DEVELOPER_CLAIM"] = "groups";
  process.env["DEVELOPER_CLAIM_VALUE"] = "makers";
});
afterEach(() => {
  process.env = { ...environment };
});

const fitting = { email: "ada@example.test", emailVerified: true, claims: { groups: "makers" } };
const ask = (changes: object) => () => assertMayBecomeDeveloper({ ...fitting, ...changes } as unknown as Identity);

test.each([{}, { email: "ada@Studio.Example" }, { claims: { groups: ["players", "makers"] } }])(
  "a person with %j may become a developer",
  (changes) => expect(ask(changes)).not.toThrow(),
);

test.each([
  { emailVerified: false },
  { email: null },
  { email: "ada@example.org" },
  { email: "ada@sub.example.test" },
  { email: "ada@notexample.test" },
  { email: "ada@example.test.evil.example" },
  { email: '"ada@example.test"@evil.example' },
  { claims: {} },
  { claims: { groups: "players" } },
  { claims: { groups: "makers,players" } },
  { claims: { groups: ["players"] } },
  { claims: { groups: { makers: true } } },
])("a person with %j may not", (changes) => {
  expect(ask(changes)).toThrow(expect.objectContaining({ code: "developer_not_allowed" }));
});
