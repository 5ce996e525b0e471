import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { Stryker } from "@stryker-mutator/core";

/*
 * npm run test:mutants -- functions/domain/tokens functions/table
 *
 * Changes the code of files or folders in a copy of the repository, one condition, operator, string or block at a time, and runs
 * the tests of test/mutants/jest.config.js that reach it. Prints the changes that no test notices, and the score of each file.
 * Files or folders of test/ among the paths are the only suites, with the tests beside the changed code: much quicker, but another
 * suite may notice what these do not.
 */
const named = process.argv.slice(2).map((path) => path.replace(/\/$/, ""));
const paths = named.filter((path) => !path.startsWith("test/"));
const suites = named.filter((path) => path.startsWith("test/"));
if (paths.length === 0 || !paths.every((path) => /^(contract|edge|functions)(\/|$)/.test(path))) {
  console.error(
    "Name files or folders of contract/, edge/ or functions/: npm run test:mutants -- functions/domain/tokens",
  );
  process.exit(2);
}
process.env["MUTATED"] = paths.join(" ");
const isFolder = (path: string) => statSync(path).isDirectory();
const beside = paths.map((path) => (isFolder(path) ? path : dirname(path)));
const files = [...beside, ...suites].map((path) => (isFolder(path) ? `${path}/**/*.test.ts` : path));
process.env["SUITES"] = suites.length > 0 ? files.join(" ") : "";
// The tests that failed without a change: they are left out.
const leftOut = resolve("build/mutants-left-out.txt");
process.env["LEFT_OUT"] = leftOut;
mkdirSync("build", { recursive: true });
writeFileSync(leftOut, "");

const results = await new Stryker({
  mutate: [...paths.map((path) => (isFolder(path) ? `${path}/**/*.ts` : path)), "!**/*.test.ts"],
  testRunner: "jest",
  plugins: ["@stryker-mutator/jest-runner"],
  jest: { projectType: "custom", configFile: "test/mutants/jest.config.js", enableFindRelatedTests: false },
  testRunnerNodeArgs: ["--experimental-vm-modules", "--disable-warning=ExperimentalWarning"],
  coverageAnalysis: "perTest",
  // What is evaluated when a module is loaded needs a new service for each change.
  ignoreStatic: true,
  concurrency: 2,
  timeoutMS: 60_000,
  dryRunTimeoutMinutes: 20,
  tempDirName: "build/mutants",
  ignorePatterns: ["bench", "build", "cli/dist"],
  buildCommand: "node infra/bundle.ts && node dashboard/build.ts && node cli/build.ts",
  // Both need the compiler's API, which TypeScript 7 does not have.
  tsconfigFile: "none",
  disableTypeChecks: false,
  reporters: ["clear-text", "progress-append-only", "json"],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: "build/mutants.json" },
}).runMutationTest();
const failed = readFileSync(leftOut, "utf8");
if (failed) console.error(`Left out, because they fail without a change too:\n${failed}`);
if (results.length === 0 || failed) process.exitCode = 1;
