import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "@jest/globals";
import { kebabCase, routes } from "../contract/api/routes.ts";
import { operations } from "../test/support/service/operations.ts";
import { access } from "./access.ts";

/*
 * Each route has its places by docs/architecture.md, "How to add a route". Whoever forgets one reads here what to do next.
 */
const names = Object.keys(routes);
const handlers = globSync("{functions,options/*}/handlers/*.ts");
const handlerOf = (name: string) => handlers.find((path) => basename(path) === `${kebabCase(name)}.ts`);

function missingPlaces(name: string): string[] {
  const handler = `functions/handlers/${kebabCase(name)}.ts`;
  return [
    ...(handlerOf(name) ? [] : [`Write ${handler}, which exports \`handler\``]),
    ...(name in access ? [] : [`Say in functions/access.ts what the function of ${name} may do`]),
    ...(name in operations ? [] : [`Add to test/support/service/operations.ts a request of ${name} that succeeds`]),
  ];
}

test.each(names)("%s is in every place that a route needs", (name) => {
  expect(missingPlaces(name)).toEqual([]);
});

test("every described route is in routes.ts", async () => {
  const files = globSync("{contract/api,options/*/contract}/**/*.ts", { exclude: ["**/*.test.ts"] });
  const sources = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const described = sources.flatMap((source) => [...source.matchAll(/^export const (\w+) = defineRoute\(/gm)]);
  const notEntered = described.map(([, name = ""]) => name).filter((name) => !names.includes(name));
  expect(notEntered.map((name) => `Enter ${name} in contract/api/routes.ts`)).toEqual([]);
});

test("every handler file has its route", () => {
  const strays = handlers.filter((path) => !names.some((name) => handlerOf(name) === path));
  expect(strays.map((path) => `Enter the route of ${path} in contract/api/routes.ts`)).toEqual([]);
});

test.each(names.filter((name) => missingPlaces(name).length === 0))("%s has a handler", async (name) => {
  const { handler } = await import(join(process.cwd(), handlerOf(name) ?? ""));
  expect(handler).toBeInstanceOf(Function);
});
