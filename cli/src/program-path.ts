import { accessSync, constants, statSync } from "node:fs";
import * as path from "node:path";

/** The folders in which programs are looked for. Relative ones are left out: a repository could have a program of that name. */
export function programFolders(environment: NodeJS.ProcessEnv): string[] {
  return (environment["PATH"] ?? "").split(path.delimiter).filter((folder) => path.isAbsolute(folder));
}

/** Whether a file can be run. */
export function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
