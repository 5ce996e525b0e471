import { expect, test } from "@jest/globals";
import { etagOf, isAmong } from "./etag.ts";

test("an ETag follows from the bytes alone, in quotes", () => {
  expect(etagOf(Buffer.from("a"))).toMatch(/^"[0-9a-f]{64}"$/);
  expect(etagOf(Buffer.from("a"))).toBe(etagOf(Buffer.from("a")));
  expect(etagOf(Buffer.from("a"))).not.toBe(etagOf(Buffer.from("b")));
});

test.each([
  ['"a"', true],
  ['W/"a"', true],
  ['"b" , W/"a"', true],
  ["*", true],
  ['"b"', false],
  ['"aW/"', false],
  ['"W/a"', false],
  [undefined, false],
])("If-None-Match: %s has the ETag: %p", (ifNoneMatch, isThere) => {
  expect(isAmong('"a"', ifNoneMatch)).toBe(isThere);
});
