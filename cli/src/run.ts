import { join } from "node:path";
import type { Interfaces } from "@oclif/core";
import { Config } from "@oclif/core/config";
import { run } from "@oclif/core/run";
import { settings } from "@oclif/core/settings";
import { runExternalCommand } from "./external-command.ts";
import { startProgram } from "./program.ts";
import { ReportedError } from "./report.ts";
import { wrongWords } from "./wrong-words.ts";

/** Runs a command line: oclif finds the command and runs it. What is no command of svc is `svc-NAME` of the PATH. */
export function main(argv: string[]): void {
  startProgram(argv, async () => {
    prepareForOclif();
    try {
      await run([...argv], loadOptions);
    } catch (error) {
      if (error instanceof ReportedError) throw error;
      const config = await Config.load(loadOptions);
      const wrong = wrongWords(argv, config);
      const [name = "", ...args] = argv;
      const isOwn = config.findCommand(name) !== undefined || config.findTopic(name) !== undefined;
      const exitCode = wrong === undefined || isOwn ? undefined : await runExternalCommand(name, args);
      if (exitCode === undefined) throw wrong ?? error;
      process.exitCode = exitCode;
    }
  });
}

const loadOptions: Interfaces.LoadOptions = {
  root: join(import.meta.dirname, ".."),
  // Only code of this package is loaded: no plugins from oclif's data folder or for development.
  userPlugins: false,
  devPlugins: false,
  // With DEBUG=*, oclif's own logger would print the command line, and a token in it.
  logger: silentLogger("svc"),
};

function silentLogger(namespace: string): Interfaces.Logger {
  const silent = () => {};
  const child = (name: string) => silentLogger(`${namespace}:${name}`);
  return { namespace, child, debug: silent, error: silent, info: silent, trace: silent, warn: silent };
}

function prepareForOclif(): void {
  settings.enableAutoTranspile = false;
  // oclif would read a theme from the credential file's folder, or from the temporary folder if HOME is empty.
  process.env["SVC_DISABLE_THEME"] = "1";
}
