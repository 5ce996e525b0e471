import { expect, test } from "@jest/globals";
import { hasEmailForm } from "./email-form.ts";

test.each([
  ["ada@example.com", true],
  ["Ada <ada@example.com>", true],
  ["ada＠example.com", true],
  ["a@b", true],
  ["@ada", false],
  ["ada@ home", false],
  ["ada @home", false],
  ["a@@b", false],
  ["Ada", false],
])("%j has an email address: %s", (text, expected) => {
  expect(hasEmailForm(text)).toBe(expected);
});
