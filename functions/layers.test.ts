import { readdirSync } from "node:fs";
import { basename } from "node:path";
import { expect, test } from "@jest/globals";

const layers = ["entities", "table", "files", "pointers", "identity", "domain", "http", "handlers", "jobs", "origin"];

/** The names of a layer's sources, without their folders. */
function namesIn(layer: string): string[] {
  const files = readdirSync(new URL(layer, import.meta.url), { recursive: true, encoding: "utf8" });
  return [...new Set(files.filter((file) => /(?<!\.test)\.ts$/.test(file)).map((file) => basename(file)))];
}

test("no two layers have a file of one name, so that a name says which layer is meant", () => {
  const places = Map.groupBy(
    layers.flatMap((layer) => namesIn(layer).map((name) => ({ layer, name }))),
    ({ name }) => name,
  );
  expect(places.size).toBeGreaterThan(100);
  const shared = [...places.values()].filter(({ length }) => length > 1);
  expect(shared.flat().map(({ layer, name }) => `${layer}: ${name}`)).toEqual([]);
});
