import { join } from "node:path";
import base from "../../jest.config.js";

const { globalSetup: _, maxWorkers: __, ...settings } = base;

/** Subjects that have most of their tests among the longer suites. */
const longer = {
  sweep: ["faults/sweep/{announced-deletions,conditions,function,ledger,runs,sweeper}"],
  notices: ["faults/notice-delivery"],
  suspensions: ["journeys/operator"],
};
const mutated = process.env["MUTATED"] ?? "";
const added = Object.entries(longer).flatMap(([subject, files]) => (mutated.includes(subject) ? files : []));

/** The tests of the games' edge, which need no service, do for it alone. */
const isOfEdge = mutated.split(" ").every((path) => path.startsWith("edge"));

/**
 * The suites of `npm test` that reach the rules through the shared service or directly; not those of the command line, which
 * run it as a process.
 */
export default {
  ...settings,
  rootDir: "../..",
  testMatch: [
    isOfEdge
      ? "<rootDir>/{edge,test/{edge,games}}/**/*.test.ts"
      : "<rootDir>/{contract,edge,functions,test/{api,edge,games,notices}}/**/*.test.ts",
    ...added.map((file) => `<rootDir>/test/long/${file}.test.ts`),
  ],
  testPathIgnorePatterns: ["/node_modules/"],
  testEnvironment: join(import.meta.dirname, "environment.js"),
  runner: join(import.meta.dirname, "runner.js"),
  filter: "<rootDir>/test/mutants/filter.cjs",
};
