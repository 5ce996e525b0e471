import { expect, test } from "@jest/globals";
import { retryAfterMilliseconds, wasReplaced } from "./server-time.ts";

const at = "2026-11-27T12:00:00.000Z";
const seconds = (after: number) => Date.parse(at) + after * 1_000;

test.each<[string, string, string | null, since: number, isReplaced: boolean]>([
  ["lives", "live", at, seconds(-10), false],
  ["went live after the call began, and lives no more", "published", at, seconds(-10), true],
  ["was withdrawn since", "withdrawn", at, seconds(-10), true],
  [
    "went live in the second in which the call began, by a clock that is two seconds off",
    "published",
    at,
    seconds(2.9),
    true,
  ],
  ["was live before the call", "published", at, seconds(4), false],
  ["was never live", "open", null, seconds(-10), false],
])("a release that %s has lost its place, or not", (_, status, publishedAt, since, isReplaced) => {
  expect(wasReplaced({ status, published_at: publishedAt }, since)).toBe(isReplaced);
});

const sentAt = "Sat, 21 Nov 2026 10:00:00 GMT";

test.each([
  ["7", 7_000],
  ["0", 0],
  ["Sat, 21 Nov 2026 10:00:30 GMT", 30_000],
  ["Sat, 21 Nov 2026 09:00:00 GMT", 0],
  ["soon", undefined],
  [undefined, undefined],
])("Retry-After %p means %p milliseconds", (header, expected) => {
  const headers = new Map([
    ["retry-after", header],
    ["date", sentAt],
  ]);
  expect(retryAfterMilliseconds((name) => headers.get(name))).toBe(expected);
});
