import { existsSync, rmSync, symlinkSync } from "node:fs";
import { resolve } from "node:path";
import build from "../../test/support/global-setup.ts";

/*
 * Builds in Stryker's copy what the tests need, in one command: Stryker runs its build command without a shell. The copy is in
 * build/mutants/, and Stryker links the packages into it only afterwards.
 */
const link = resolve("node_modules");
const isMissing = !existsSync(link);
if (isMissing) symlinkSync(resolve("../../../node_modules"), link, "junction");
try {
  build();
} finally {
  if (isMissing) rmSync(link);
}
