import { inspect } from "node:util";
import { expect, test } from "@jest/globals";
import { isWellFormedToken } from "../../../contract/api/tokens/token-format.ts";
import { RawToken } from "./raw-token.ts";

const accountKey = "0123456789abcdefghijAB";

test("a generated token is well formed and holds its account's key", () => {
  const token = RawToken.generate(accountKey);
  expect(isWellFormedToken(token.reveal())).toBe(true);
  expect(token.accountKey).toBe(accountKey);
  expect(RawToken.parse(token.reveal())?.accountKey).toBe(accountKey);
});

test("ten thousand tokens are all different, and use every digit about equally", () => {
  const tokens = Array.from({ length: 10_000 }, () => RawToken.generate(accountKey).reveal());
  expect(new Set(tokens).size).toBe(tokens.length);
  const counts = new Map<string, number>();
  for (const digit of tokens.flatMap((token) => [...token.slice(26, 58)]))
    counts.set(digit, (counts.get(digit) ?? 0) + 1);
  const expected = (10_000 * 32) / 62;
  // With equally likely digits, a count is this far off less than once in 10^9 runs.
  for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(7 * Math.sqrt(expected));
  expect(counts.size).toBe(62);
});

test("a token never prints itself", () => {
  const token = RawToken.generate(accountKey);
  const prints = [
    String(token),
    `${token}`,
    JSON.stringify({ token }),
    inspect({ token }),
    inspect(new Error(`${token}`)),
  ];
  for (const print of prints) expect(print).not.toContain(token.reveal());
  expect(Object.keys(token)).toEqual([]);
});

test("a token matches its own stored hash and no other", () => {
  const token = RawToken.generate(accountKey);
  expect(token.matches(token.hash.toString("base64"))).toBe(true);
  expect(token.matches(RawToken.generate(accountKey).hash.toString("base64"))).toBe(false);
  expect(token.matches("")).toBe(false);
});
