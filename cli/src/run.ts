import { join } from "node:path";
import type { Interfaces } from "@oclif/core";
import { Config } from "@oclif/core/config";
import { run } from "@oclif/core/run";
import { settings } from "@oclif/core/settings";
import { startProgram } from "./program.ts";
import { Reported } from "./report.ts";
import { wrongWords } from "./wrong-words.ts";

/** Runs a command line: oclif finds the command and runs it. */
export function main(argv: string[]): void {
  startProgram(argv, async () => {
    prepareForOclif();
    try {
      await run([...argv], loadOptions);
    } catch (error) {
      if (error instanceof Reported) throw error;
      throw wrongWords(argv, await Config.load(loadOptions)) ?? error;
    }
  });
}

const loadOptions: Interfaces.LoadOptions = {
  root: join(import.meta.dirname, ".."),
  // No code is loaded but what is in this package: none of the data folder's, none that NODE_ENV=development asks for.
  userPlugins: false,
  devPlugins: false,
  // oclif's own logger would print the command line where DEBUG=* asks for it.
  logger: silentLogger("svc"),
};

function silentLogger(namespace: string): Interfaces.Logger {
  const silent = () => {};
  const child = (name: string) => silentLogger(`${namespace}:${name}`);
  return { namespace, child, debug: silent, error: silent, info: silent, trace: silent, warn: silent };
}

function prepareForOclif(): void {
  settings.enableAutoTranspile = false;
  // A theme would be read from the folder of the credential file, or from the temporary folder where HOME is empty.
  process.env["SVC_DISABLE_THEME"] = "1";
}
