import { readdir } from "node:fs/promises";
import { expect, test } from "@jest/globals";
import { kebabCase } from "../contract/routes.ts";
import { handlers } from "./handlers.ts";

test.each(Object.entries(handlers))("%s has a handler", async (_, load) => {
  expect((await load()).handler).toBeInstanceOf(Function);
});

test("there is no handler but these", async () => {
  const files = await readdir(new URL("handlers", import.meta.url));
  expect(files.toSorted()).toEqual(
    Object.keys(handlers)
      .map((name) => `${kebabCase(name)}.ts`)
      .toSorted(),
  );
});
