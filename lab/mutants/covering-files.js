import { readFileSync } from "node:fs";

/** Written by the run without a mutant, in the folder of Stryker's copy: which test files reach a mutant, and how long each took. */
export const coveringFiles = "build/covering-files.json";

export function readCoveringFiles() {
  try {
    return JSON.parse(readFileSync(coveringFiles, "utf8"));
  } catch (error) {
    if (error.code !== "ENOENT") throw error;
    return { tests: {}, mutants: {}, milliseconds: {} };
  }
}
