import { expect, test } from "@jest/globals";
import { threadMilliseconds } from "../../../test/support/thread-time.ts";
import { limits } from "../limits.ts";
import {
  canonicalSettings,
  frameOriginProblem,
  immutablePattern,
  matchesPattern,
  patternProblem,
} from "./release-settings.ts";

test.each([
  ["assets/**", "assets/a.js", true],
  ["assets/**", "assets/deep/er/a.js", true],
  ["assets/**", "assets", true],
  ["assets/**", "assets2/a.js", false],
  ["assets/**", "x/assets/a.js", false],
  ["**/assets/*", "x/y/assets/a.js", true],
  ["**/assets/*", "assets/a.js", true],
  ["**/assets/*", "assets/b/a.js", false],
  ["*-*.js", "index-B4x.js", true],
  ["*-*.js", "a/index-B4x.js", false],
  ["*-*.js", "index.js", false],
  ["**", "anything/at/all", true],
  ["a*b*c", "aXbYbZc", true],
  ["a*b*c", "aXbYbZ", false],
  ["a.js", "a-js", false],
  ["**/a/**/b", "a/x/a/y/b", true],
  ["*.png", "日本.png", true],
])("%s stands for %s: %s", (pattern, path, expected) => {
  expect(patternProblem(pattern)).toBeUndefined();
  expect(immutablePattern.test(pattern)).toBe(true);
  expect(matchesPattern(path, ["none", pattern])).toBe(expected);
});

test("a path that no pattern matches is not immutable", () => {
  expect(matchesPattern("a.js", [])).toBe(false);
});

test("a pattern of many wildcards does not make a request slow", async () => {
  const match = () => matchesPattern(`${"a".repeat(limits.pathBytes)}`, [`${"*a".repeat(49)}*b`]);
  expect(await threadMilliseconds(() => expect(match()).toBe(false))).toBeLessThan(100);
});

test.each([
  ["", "must not be empty"],
  ["./x", "segment"],
  ["/assets/**", "relative"],
  ["../x", "segment"],
  ["a//b", "segment"],
  ["assets/**.js", "whole segment"],
  ["***", "whole segment"],
  ["a?.js", "wildcard"],
  ["[ab].js", "wildcard"],
  ["{a,b}", "wildcard"],
  ["!a", "wildcard"],
  ["a\\b", "backslash"],
  ["50%", "%"],
  ["a\nb", "control"],
  ["\ud800", "control"],
  ["cafe\u0301", "normalisation form C"],
  ["a".repeat(limits.immutablePatternLength + 1), "characters"],
])("a pattern must not be %j", (pattern, reason) => {
  expect(patternProblem(pattern)).toContain(reason);
  // The documents say the length beside it, and have no word for the two others.
  expect(immutablePattern.test(pattern)).toBe(/^(?:cafe.*|a{101}|[\ud800])$/.test(pattern));
});

test("a pattern may have as many characters as it may have", () => {
  expect(patternProblem("a".repeat(limits.immutablePatternLength))).toBeUndefined();
});

test("the same settings in another order are the same, but for what is loaded first", () => {
  const frame = ["https://b.example", "https://a.example", "https://b.example"];
  expect(
    canonicalSettings({
      isolation: true,
      immutable: ["b", "a", "b"],
      spa: true,
      frame,
      preload: ["b", "a", "b"],
      updates: "whole",
    }),
  ).toEqual({
    isolation: true,
    immutable: ["a", "b"],
    spa: true,
    frame: ["https://a.example", "https://b.example"],
    preload: ["b", "a"],
    updates: "whole",
  });
});

test("a list of no origins is nobody", () => {
  const settings = { isolation: false, immutable: [], spa: false, preload: [], updates: "content" as const };
  expect(canonicalSettings({ ...settings, frame: [] }).frame).toBe("nobody");
  expect(canonicalSettings({ ...settings, frame: "everybody" }).frame).toBe("everybody");
});

test.each([
  "https://portal.example",
  "https://*.portal.example",
  "https://a-b.portal.example:8443",
  "https://portal.example:1",
  "https://portal.example:59999",
  "https://portal.example:65535",
  "https://xn--4gbrim.example",
])("%s may be named as an origin that shows the game in a frame", (origin) => {
  expect(frameOriginProblem(origin)).toBeUndefined();
});

test.each([
  "",
  "portal.example",
  "http://portal.example",
  "https://portal.example/",
  "https://portal.example/page",
  "https://Portal.example",
  "https://*",
  "https://*.",
  "https://a.*.example",
  "https://portal",
  "https://portal.example:0",
  "https://portal.example:65536",
  "https://portal.example:",
  "https://user@portal.example",
  "https://-portal.example",
  "https://portal.example https://other.example",
  "https://portal.example; script-src *",
  "https://portal.example\nx-header: 1",
  "https://portal.example\n",
  "https://bücher.example",
  "*",
  "'self'",
  "data:",
])("%j is no origin that may show the game in a frame", (origin) => {
  expect(frameOriginProblem(origin)).toContain("must be an origin such as https://portal.example");
});

test("an origin has at most 260 characters", () => {
  const longest = `https://${"a.".repeat(125)}ab`;
  expect([longest.length, frameOriginProblem(longest)]).toEqual([260, undefined]);
  expect(frameOriginProblem(`${longest}c`)).toBe("must have at most 260 characters");
});
