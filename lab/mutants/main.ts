import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { MutantResult, PartialStrykerOptions } from "@stryker-mutator/api/core";
import { runNpm } from "../../tools/npm.ts";
import { keepJudged, printTable, results, strykerReport } from "./judged.ts";

/*
 * npm run test:mutants -- functions/domain/tokens functions/table
 * npm run test:mutants -- --again --processes functions/domain/tokens test/api/tokens test/long/security/revocation.test.ts
 * npm run test:mutants -- --table
 *
 * Changes the code of files or folders in a copy of the repository, one condition, operator, string or block at a time, and runs
 * the tests of lab/mutants/jest.config.js that reach it, if it compiles. Prints the changes that nothing notices, and the score
 * of each file.
 * Test files, and folders of test/, among the paths are the only suites, with the tests beside the changed code: much quicker, but
 * another suite may notice what these do not.
 *
 * --again runs only the changes that survived. --processes starts new services for each change, in processes of their own:
 * for what a module evaluates when it is loaded, and for what only a process notices. --table prints the results of all runs.
 */
/** Tests, and what no function has: the examples of the documents, and the script that writes them. */
const leftOutFiles = ["!**/*.test.ts", "!contract/documents/write-openapi.ts"];

const { values: options, positionals } = parseArgs({
  options: {
    again: { type: "boolean", default: false },
    processes: { type: "boolean", default: false },
    table: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const named = positionals.map((path) => path.replace(/\/$/, ""));
const isSuite = (path: string) => path.startsWith("test/") || path.endsWith(".test.ts");
const paths = named.filter((path) => !isSuite(path));
const suites = named.filter(isSuite);
if (options.table) printTable(paths);
else if (paths.length === 0 || !paths.every((path) => /^(contract|edge|functions)(\/|$)/.test(path))) {
  console.error(
    "Name files or folders of contract/, edge/ or functions/: npm run test:mutants -- functions/domain/tokens",
  );
  process.exitCode = 2;
} else await judge();

async function judge(): Promise<void> {
  // What a module of the contract has exists since it was loaded, and its own tests load it again.
  const areInProcesses = options.processes || paths.every((path) => path.startsWith("contract"));
  // The tests that failed without a change: they are left out.
  const leftOut = join(results, "mutants-left-out.txt");
  mkdirSync(results, { recursive: true });
  writeFileSync(leftOut, "");
  Object.assign(process.env, {
    MUTATED: paths.join(" "),
    SUITES: suites.length > 0 ? [...paths.map(besideOf), ...suites.map(testsOf)].join(" ") : "",
    LEFT_OUT: leftOut,
    ...(areInProcesses && { IN_PROCESSES: "true" }),
  });
  const Stryker = await installedStryker();
  const judged = await new Stryker({
    mutate: [...paths.map((path) => (isFolder(path) ? `${path}/**/*.ts` : path)), ...leftOutFiles],
    testRunner: "jest",
    plugins: ["@stryker-mutator/jest-runner", resolve("lab/mutants/plugins.ts")],
    ignorers: ["texts"],
    checkers: options.again ? ["again", "compiler"] : ["compiler"],
    jest: { projectType: "custom", configFile: "lab/mutants/jest.config.js", enableFindRelatedTests: false },
    // As `npm test` starts jest.
    testRunnerNodeArgs: [
      "--experimental-vm-modules",
      "--disable-warning=ExperimentalWarning",
      "--no-compilation-cache",
      "--max-semi-space-size=64",
    ],
    coverageAnalysis: areInProcesses ? "off" : "perTest",
    // What is evaluated when a module is loaded needs a new service for each change: --processes.
    ignoreStatic: !areInProcesses,
    concurrency: Number(process.env["CONCURRENCY"] ?? 2),
    // The modules of all test files stay in memory.
    maxTestRunnerReuse: 100,
    timeoutMS: 20_000 + Number(process.env["MILLISECONDS"] ?? 0),
    dryRunTimeoutMinutes: 20,
    tempDirName: "build/mutants",
    ignorePatterns: ["bench", "build", "cli/dist"],
    buildCommand: "node lab/mutants/build.ts",
    // Both need the API of an older compiler.
    tsconfigFile: "none",
    disableTypeChecks: false,
    reporters: ["clear-text", "progress-append-only", "json"],
    clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: strykerReport },
  }).runMutationTest();
  keepJudged();
  const failed = readFileSync(leftOut, "utf8");
  if (failed) console.error(`Left out, because they fail without a change too:\n${failed}`);
  if (judged.length === 0 || failed) process.exitCode = 1;
}

interface StrykerClass {
  new (options: PartialStrykerOptions): { runMutationTest(): Promise<MutantResult[]> };
}

/** Stryker is 60 MB that no other script needs, so it has a lock file of its own, and npm installs it here when it is first used. */
async function installedStryker(): Promise<StrykerClass> {
  const folder = import.meta.dirname;
  if (!existsSync(join(folder, "node_modules"))) runNpm(["ci", "--ignore-scripts"], { cwd: folder });
  const { Stryker } = await import(createRequire(import.meta.url).resolve("@stryker-mutator/core"));
  return Stryker;
}

function isFolder(path: string): boolean {
  return statSync(path.replace(/:[\d:-]+$/, "")).isDirectory();
}

/** Those in the folders below are of other code: the contract's are slow. */
function besideOf(path: string): string {
  return isFolder(path) ? testsOf(path) : `${dirname(path)}/*.test.ts`;
}

function testsOf(path: string): string {
  return isFolder(path) ? `${path}/**/*.test.ts` : path;
}
