import { expect, test } from "@jest/globals";
import { RawToken } from "../../functions/domain/tokens/raw-token.ts";
import { secretsIn } from "./leaked-secrets.ts";

const greeting = "An ID token: --email ada@example.test\nCtrl-C stops.\n";

test.each([
  ["a personal access token", `Authorization: Bearer ${RawToken.generate("0".repeat(22)).reveal()}`],
  ["the random part of one", `{"token":"${RawToken.generate("0".repeat(22)).reveal().slice(4)}"}`],
  ["an ID token", "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2ln"],
  ["an ID token", "eyJhbGciOiJSUzI1NiJ9.…"],
  ["an ID token", "….eyJzdWIiOiJhZGEifQ"],
  ["an ID token", `sub: eyJ${"zdWIiOiJhZGEifQ".repeat(2)}`],
  ["an email address", "uid-1@example.test"],
  ["a request body", 'Unexpected token in {"name": "mk0000012x'],
])("the check of a service's output finds %s", (_, line) => {
  expect(secretsIn(`${greeting}{"level":"error"}\n${line}\n`)).toEqual([expect.stringContaining(line)]);
});

test("the check of a service's output accepts an id that looks like the beginning of an ID token", () => {
  expect(secretsIn(`${greeting}{"token":{"id":"5fKqueyJLDVK94zDtLkiwf"},"release":"eyJLDVK94zDtLkiwf5fKqu"}`)).toEqual(
    [],
  );
});

test("the check of a service's output accepts a masked token", () => {
  expect(secretsIn(`${greeting}{"message":"pat_… and eyJ… of …@…"}`)).toEqual([]);
});
