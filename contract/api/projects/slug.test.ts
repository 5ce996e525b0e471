import { expect, test } from "@jest/globals";
import { isReservedSlug, slugOf, slugPattern } from "./slug.ts";

test.each(["abc", "a-b", "2048", "0-0", `a${"-b".repeat(19)}c`])("a slug may be %s", (slug) => {
  expect(slugPattern.test(slug)).toBe(true);
  expect(isReservedSlug(slug)).toBe(false);
});

test.each([...["", "ab", "-ab", "ab-", "a--b", "xn--ab", "Abc", "a_b", "a.b", "ä-b", "abc\n", " abc", "a".repeat(41)]])(
  "a slug must not be %j",
  (slug) => {
    expect(slugPattern.test(slug)).toBe(false);
  },
);

test.each(["abuse", "postmaster", "www", "api", "constructor", "webmaster"])("%s is nobody's slug", (slug) => {
  expect(isReservedSlug(slug)).toBe(true);
});

test.each([
  ["My Game", "my-game"],
  ["--Été: l'île!", "ete-l-ile"],
  ["2048 (beta)", "2048-beta"],
  ["ゲーム", ""],
  [`-${"a".repeat(39)} b`, "a".repeat(39)],
])("the name %s gives the slug %j", (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});
