import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "@jest/globals";
import { kebabCase, routes } from "../contract/routes.ts";
import { bundleFolderOf } from "./bundle.ts";

const file = (name: string) => join(bundleFolderOf(name), "index.mjs");
const names = Object.keys(routes).map(kebabCase);

test("every route has its bundle, with a source map beside it", () => {
  expect(names.filter((name) => !existsSync(file(name)) || !existsSync(`${file(name)}.map`))).toEqual([]);
});

test("the function of GET /me is 300 kB at most", () => {
  expect(statSync(file("get-me")).size).toBeLessThanOrEqual(300_000);
});

/** Loads bundles in a Node of their own, as Lambda would, and returns what they made Node load. */
function builtinsLoadedBy(bundles: readonly string[]): string[] {
  const imports = bundles.map((name) => `await import(${JSON.stringify(pathToFileURL(file(name)).href)});`);
  const program = `${imports.join("")}console.log(JSON.stringify(process.moduleLoadList))`;
  const output = execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" });
  return JSON.parse(output);
}

test("no function loads undici", () => {
  const loaded = builtinsLoadedBy(names);
  expect(loaded).toContain("NativeModule https");
  expect(loaded.filter((name) => name.includes("undici"))).toEqual([]);
});
