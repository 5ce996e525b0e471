import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { SvcCommand } from "./command.ts";
import { COMMANDS } from "./index.ts";

const folder = join(import.meta.dirname, "commands");
const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));

test.each(files)("every command of commands/%s is entered in COMMANDS", async (file) => {
  const exported: unknown[] = Object.values(await import(join(folder, file)));
  const commands = exported.filter((value) => typeof value === "function" && value.prototype instanceof SvcCommand);
  const entered: unknown[] = Object.values(COMMANDS);
  expect(commands.length).toBeGreaterThan(0);
  expect(commands.filter((command) => !entered.includes(command))).toEqual([]);
});
