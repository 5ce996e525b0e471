import { expect, test } from "@jest/globals";
import * as z from "zod/mini";
import { invalidPlaces } from "./invalid-places.ts";

const schema = z.strictObject({
  name: z.string().check(z.minLength(1, "must not be empty")),
  count: z.optional(z.int()),
  kind: z.enum(["a", "b"]),
  flag: z.optional(z.boolean()),
  short: z.optional(z.string().check(z.maxLength(1))),
  list: z.optional(z.array(z.strictObject({ "a/b~c": z.string() }))),
});

function places(value: unknown) {
  const result = z.safeParse(schema, value, { reportInput: true });
  return result.success ? [] : invalidPlaces(result.error.issues);
}

test("each invalid place has a JSON Pointer and a sentence", () => {
  expect(places({ name: "", count: "1", kind: "c", other: 1 })).toEqual([
    { pointer: "/name", detail: "must not be empty" },
    { pointer: "/count", detail: "must be a number" },
    { pointer: "/kind", detail: 'must be "a" or "b"' },
    { pointer: "/other", detail: "is not a known field" },
  ]);
});

test("a place has a sentence even if the schema has none of its own", () => {
  expect(places({ name: "x", kind: "a", count: 1.5, flag: 1, list: 1, short: "xx" })).toEqual([
    { pointer: "/count", detail: "must be a whole number" },
    { pointer: "/flag", detail: "must be a boolean" },
    { pointer: "/short", detail: "is not valid" },
    { pointer: "/list", detail: "must be an array" },
  ]);
});

test("a missing field is called required", () => {
  expect(places({ kind: "a" })).toEqual([{ pointer: "/name", detail: "is required" }]);
});

test("for a body that is no object the pointer is empty", () => {
  expect(places([])).toEqual([{ pointer: "", detail: "must be an object" }]);
});

test("a pointer escapes ~ and / (RFC 6901)", () => {
  expect(places({ name: "x", kind: "a", list: [{}] })).toEqual([{ pointer: "/list/0/a~1b~0c", detail: "is required" }]);
});

test("at most 100 places are named", () => {
  const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x${index}`, 1]));
  expect(places({ name: "x", kind: "a", ...unknown })).toHaveLength(100);
});

test("a name of megabytes is shortened, so that the response is not longer than the request", () => {
  const [place] = places({ name: "x", kind: "a", ["n".repeat(5_000_000)]: 1 });
  expect(place?.pointer).toBe(`/${"n".repeat(200)}`);
});
