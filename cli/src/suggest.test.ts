import { expect, test } from "@jest/globals";
import { closest, editDistance } from "./suggest.ts";

const known = ["completion", "init", "login", "logout", "projects create", "projects list", "publish", "whoami"];

test.each([
  ["whoam", "whoami"],
  ["lgoin", "login"],
  ["log-out", "logout"],
  ["inti", "init"],
  ["publsih", "publish"],
  ["project list", "projects list"],
  ["comp", "completion"],
])("%s suggests %s", (typed, meant) => {
  expect(closest(typed, known)).toBe(meant);
});

test.each(["deploy", "x", "frobnicate", "exit", "save"])("%s suggests nothing", (typed) => {
  expect(closest(typed, known)).toBeUndefined();
});

test("a swap of adjacent characters counts as one change", () => {
  expect([
    editDistance("ab", "ba"),
    editDistance("abc", "abd"),
    editDistance("", "abc"),
    editDistance("a", "a"),
  ]).toEqual([1, 1, 3, 0]);
});
