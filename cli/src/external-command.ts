import { spawn } from "node:child_process";
import * as os from "node:os";
import * as path from "node:path";
import { isProgram, programFolders } from "./program-path.ts";

/** The credentials of svc itself: what svc-NAME may do, the person decides in it, and not svc. */
const credentials = ["SVC_TOKEN", "SVC_ID_TOKEN"];

/**
 * Runs `svc-NAME` of the PATH with these arguments, as `git NAME` and `gh NAME` do, without the token of svc.
 *
 * @returns its exit code, as shells count it; undefined if there is no such program
 */
export async function runExternalCommand(name: string, args: readonly string[]): Promise<number | undefined> {
  const program = /^\w[\w-]*$/.test(name) ? findProgram(`svc-${name}`) : undefined;
  if (program === undefined) return undefined;
  // On Windows the names of variables have no case.
  const variables = Object.entries(process.env).filter(([variable]) => !credentials.includes(variable.toUpperCase()));
  const child = spawn(program, args, { stdio: "inherit", env: Object.fromEntries(variables) });
  // The terminal's Ctrl-C reaches the program too, which decides what it means.
  const ignore = () => {};
  const pass = (signal: NodeJS.Signals) => void child.kill(signal);
  process.on("SIGINT", ignore).on("SIGTERM", pass).on("SIGHUP", pass);
  return await new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : os.constants.signals[signal])));
  });
}

/** A program in a folder of the PATH. On Windows only .exe, because a batch file takes its arguments apart again. */
function findProgram(name: string): string | undefined {
  const file = process.platform === "win32" ? `${name}.exe` : name;
  return programFolders(process.env)
    .map((folder) => path.join(folder, file))
    .find(isProgram);
}
