import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { expect, test } from "@jest/globals";
import type { Route } from "../contract/api/route.ts";
import { optionAccess } from "../test/support/option-lists.ts";
import { kebabCase, type RouteName, routes } from "../test/support/routes.ts";
import { operations } from "../test/support/service/operations.ts";
import { access } from "./access.ts";

/*
 * Each route has its places by docs/architecture.md, "How to add a route" and "How to add a route of an option". Whoever forgets one
 * reads here what to do next.
 */
const names = Object.keys(routes) as RouteName[];
const everyAccess = { ...access, ...optionAccess };
const handlers = globSync("{functions,options/*}/handlers/*.ts");
const handlerOf = (name: string) => handlers.find((path) => basename(path) === `${kebabCase(name)}.ts`);

function missingPlaces(name: RouteName): string[] {
  const { option }: Route = routes[name];
  const file = `${kebabCase(name)}.ts`;
  const [handler, rights, requests] = option
    ? [`options/${option}/handlers/${file}`, `options/${option}/functions/access.ts`, "test/support/option-lists.ts"]
    : [`functions/handlers/${file}`, "functions/access.ts", "test/support/service/operations.ts"];
  return [
    ...(handlerOf(name) ? [] : [`Write ${handler}, which exports \`handler\``]),
    ...(name in everyAccess ? [] : [`Say in ${rights} what the function of ${name} may do`]),
    ...(name in operations ? [] : [`Add to ${requests} a request of ${name} that succeeds`]),
  ];
}

test.each(names)("%s is in every place that a route needs", (name) => {
  expect(missingPlaces(name)).toEqual([]);
});

test("every described route is in routes.ts", async () => {
  const files = globSync("{contract/api,options/*/contract}/**/*.ts", { exclude: ["**/*.test.ts"] });
  const sources = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const described = sources.flatMap((source) => [...source.matchAll(/^export const (\w+) = defineRoute\(/gm)]);
  const notEntered = described.map(([, name = ""]) => name).filter((name) => !(name in routes));
  expect(notEntered.map((name) => `Enter ${name} in contract/api/routes.ts`)).toEqual([]);
});

test("every handler file has its route", () => {
  const strays = handlers.filter((path) => !names.some((name) => `${kebabCase(name)}.ts` === basename(path)));
  expect(strays.map((path) => `Enter the route of ${path} in contract/api/routes.ts`)).toEqual([]);
});

test.each(names.filter((name) => missingPlaces(name).length === 0))("%s has a handler", async (name) => {
  const { handler } = await import(join(process.cwd(), handlerOf(name) ?? ""));
  expect(handler).toBeInstanceOf(Function);
});
