import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "@jest/globals";
import { kebabCase, routes } from "../contract/api/routes.ts";
import { operations } from "../test/support/service/operations.ts";
import { access } from "./access.ts";

/*
 * A route is in four places (docs/architecture.md, "How to add a route"). Whoever forgets one reads here what to do next.
 */
const root = new URL("..", import.meta.url);
const names = Object.keys(routes);

function missingPlaces(name: string): string[] {
  const handler = `functions/handlers/${kebabCase(name)}.ts`;
  return [
    ...(existsSync(new URL(handler, root)) ? [] : [`Write ${handler}, which exports \`handler\``]),
    ...(name in access ? [] : [`Say in functions/access.ts what the function of ${name} may do`]),
    ...(name in operations ? [] : [`Add to test/support/service/operations.ts a request of ${name} that succeeds`]),
  ];
}

test.each(names)("%s is in every place that a route needs", (name) => {
  expect(missingPlaces(name)).toEqual([]);
});

test("every described route is in routes.ts", async () => {
  const folder = new URL("contract/api/", root);
  const files = (await readdir(folder)).filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"));
  const sources = await Promise.all(files.map((file) => readFile(new URL(file, folder), "utf8")));
  const described = sources.flatMap((source) => [...source.matchAll(/^export const (\w+) = defineRoute\(/gm)]);
  const notEntered = described.map(([, name = ""]) => name).filter((name) => !names.includes(name));
  expect(notEntered.map((name) => `Enter ${name} in contract/api/routes.ts`)).toEqual([]);
});

test("every handler file has its route", async () => {
  const files = await readdir(new URL("functions/handlers/", root));
  const strays = files.filter((file) => !names.some((name) => file === `${kebabCase(name)}.ts`));
  expect(strays.map((file) => `Enter the route of functions/handlers/${file} in contract/api/routes.ts`)).toEqual([]);
});

test.each(names.filter((name) => missingPlaces(name).length === 0))("%s has a handler", async (name) => {
  const { handler } = await import(`./handlers/${kebabCase(name)}.ts`);
  expect(handler).toBeInstanceOf(Function);
});
