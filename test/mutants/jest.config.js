import { join } from "node:path";
import base from "../../jest.config.js";

const { globalSetup: _, maxWorkers: __, ...settings } = base;

/** The sweep has most of its tests among the longer suites. */
const sweep = process.env["MUTATED"]?.includes("/sweep") ? ["<rootDir>/test/long/faults/sweep/**/*.test.ts"] : [];

/**
 * The suites of `npm test` that reach the rules through the shared service or directly; not those of the command line, which
 * run it as a process.
 */
export default {
  ...settings,
  rootDir: "../..",
  testMatch: ["<rootDir>/{contract,edge,functions,test/{api,games,notices}}/**/*.test.ts", ...sweep],
  testPathIgnorePatterns: ["/node_modules/"],
  testEnvironment: join(import.meta.dirname, "environment.js"),
  runner: join(import.meta.dirname, "runner.js"),
  filter: "<rootDir>/test/mutants/filter.cjs",
};
