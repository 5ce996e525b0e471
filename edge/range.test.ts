import { expect, test } from "@jest/globals";
import { failedPrecondition } from "./conditional.ts";
import { requestedRange } from "./range.ts";

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
  ["bytes=", undefined],
  ["bytes=-", undefined],
  ["bytes=a-b", undefined],
  ["bytes=0-1,3-4", undefined],
  ["items=0-1", undefined],
  ["x bytes=0-1", undefined],
])("of 100 bytes %s is %j", (range, expected) => {
  expect(requestedRange(of({ range }), { size: 100, etag })).toEqual(expected);
});

test("without a range, or with HEAD, it is the whole file", () => {
  expect(requestedRange(of({}), { size: 100, etag })).toBeUndefined();
  expect(requestedRange(of({ range: "bytes=0-1" }, "HEAD"), { size: 100, etag })).toBeUndefined();
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

test.each<[Readonly<Record<string, string>>, 304 | 412 | undefined]>([
  [{ "if-none-match": '"tag"' }, 304],
  [{ "if-none-match": 'W/"tag"' }, 304],
  [{ "if-none-match": '"a" , "tag"' }, 304],
  [{ "if-none-match": " * " }, 304],
  [{ "if-none-match": '"tags"' }, undefined],
  [{ "if-none-match": "tag" }, undefined],
  [{ "if-match": '"tag"' }, undefined],
  [{ "if-match": '"a", "tag"' }, undefined],
  [{ "if-match": " * " }, undefined],
  [{ "if-match": 'W/"tag"' }, 412],
  [{ "if-match": '"a"' }, 412],
  [{ "if-match": '"a"', "if-none-match": '"tag"' }, 412],
  [{ "if-match": '"tag"', "if-none-match": '"tag"' }, 304],
  [{ "if-modified-since": "Sun, 22 Nov 2026 00:00:00 GMT" }, undefined],
  [{}, undefined],
])("%j fails with %s", (headers, status) => {
  expect(failedPrecondition(of(headers), etag)).toBe(status);
});
