import { expect, test } from "@jest/globals";
import { isNotModified } from "./conditional.ts";
import { hasSingleRange, requestedRange } from "./range.ts";

const etag = '"tag"';
const of = (headers: Readonly<Record<string, string>>, method = "GET") => ({ method, target: "/", headers });

test.each([
  ["bytes=0-9", { start: 0, end: 10 }],
  ["bytes=99-99", { start: 99, end: 100 }],
  ["bytes=90-", { start: 90, end: 100 }],
  ["bytes=90-100", { start: 90, end: 100 }],
  ["bytes=-10", { start: 90, end: 100 }],
  ["bytes=-100", { start: 0, end: 100 }],
  ["bytes=-101", { start: 0, end: 100 }],
  ["BYTES= 5-6 ", { start: 5, end: 7 }],
  ["bytes=100-", "unsatisfiable"],
  ["bytes=100-200", "unsatisfiable"],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=9-8", undefined],
  ["bytes=9-9", { start: 9, end: 10 }],
  [`bytes=0-${"9".repeat(400)}`, { start: 0, end: 100 }],
  ["bytes=", undefined],
  ["bytes=-", undefined],
  ["bytes=a-b", undefined],
  ["bytes=0-1,3-4", undefined],
  ["items=0-1", undefined],
  ["x bytes=0-1", undefined],
])("of 100 bytes %s is %j", (range, expected) => {
  expect(requestedRange(of({ range }), { size: 100, etag })).toEqual(expected);
});

test("a request without a range, or with HEAD, gets the whole file", () => {
  expect(requestedRange(of({}), { size: 100, etag })).toBeUndefined();
  expect(requestedRange(of({ range: "bytes=0-1" }, "HEAD"), { size: 100, etag })).toBeUndefined();
});

test("what S3 and caches may get is one range of a GET", () => {
  expect(hasSingleRange(of({ range: "bytes=0-1" }))).toBe(true);
  for (const range of ["bytes=0-1,3-4", "items=0-1", ""]) expect(hasSingleRange(of({ range }))).toBe(false);
  expect(hasSingleRange(of({ range: "bytes=0-1" }, "HEAD"))).toBe(false);
  expect(hasSingleRange(of({}))).toBe(false);
});

test.each([
  ['"tag"', true],
  [' "tag" ', true],
  ['W/"tag"', false],
  ['"other"', false],
  ["*", false],
  ["Sun, 22 Nov 2026 00:00:00 GMT", false],
])("If-Range: %s keeps the range: %s", (ifRange, isMeant) => {
  const range = requestedRange(of({ range: "bytes=0-1", "if-range": ifRange }), { size: 100, etag });
  expect(range !== undefined).toBe(isMeant);
});

test.each<[Readonly<Record<string, string>>, boolean]>([
  [{ "if-none-match": '"tag"' }, true],
  [{ "if-none-match": 'W/"tag"' }, true],
  [{ "if-none-match": '"a" , "tag"' }, true],
  [{ "if-none-match": " * " }, true],
  [{ "if-none-match": '"tags"' }, false],
  [{ "if-none-match": '"tagW/"' }, false],
  [{ "if-none-match": "tag" }, false],
  [{ "if-match": '"a"' }, false],
  [{ "if-match": '"tag"' }, false],
  [{ "if-match": '"a"', "if-none-match": '"tag"' }, true],
  [{ "if-modified-since": "Sun, 22 Nov 2026 00:00:00 GMT" }, false],
  [{}, false],
])("with %j a viewer has it: %s", (headers, expected) => {
  expect(isNotModified(of(headers), etag)).toBe(expected);
});
