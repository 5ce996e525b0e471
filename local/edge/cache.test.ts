import { expect, test } from "@jest/globals";
import { Bodies } from "./bodies.ts";
import { EdgeCache, type Entry, fromCache } from "./cache.ts";
import { viewerFields } from "./events.ts";

const entry = (headers: Entry["headers"] = {}): Entry => ({ status: 200, headers, body: Buffer.from("game") });

test("what was used last goes last when there are too many", () => {
  const cache = new EdgeCache(new Bodies(), { memory: 2_500, files: 0 });
  const kept = { entry: entry(), since: 0, until: 60 };
  for (const key of ["a", "b"]) cache.set(key, kept);
  cache.get("a");
  cache.set("c", kept);
  expect(["a", "b", "c"].map((key) => cache.get(key) !== undefined)).toEqual([true, false, true]);
});

test.each([
  ["no-store", 200],
  ["public, max-age=5", 304],
])("a response that is %s, for a viewer that has it, is %i", (control, status) => {
  const found = entry({ etag: '"a"', "cache-control": control });
  expect(fromCache(found, "GET", { "if-none-match": '"a"' }).status).toBe(status);
});

test("a viewer function has the first of several cookies with a name, and all of them beside it", () => {
  expect(viewerFields({ host: "a.example", cookie: "a=1; b=2=3; a=4; a=" })).toEqual({
    headers: { host: { value: "a.example" } },
    cookies: { a: { value: "1", multiValue: [{ value: "1" }, { value: "4" }, { value: "" }] }, b: { value: "2=3" } },
  });
});
