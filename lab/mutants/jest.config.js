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

const suites = process.env["SUITES"]?.split(" ").filter(Boolean) ?? [];

/** Alone the edge and the contract do with their own tests, of which most need no service. */
const isAlone = (layer) => mutated.split(" ").every((path) => path.startsWith(layer));
const all = isAlone("edge")
  ? ["{edge,test/{edge,games}}/**/*.test.ts"]
  : isAlone("contract")
    ? ["contract/**/*.test.ts"]
    : [
        "{contract,edge,functions,test/{api,edge,games,notices}}/**/*.test.ts",
        ...added.map((file) => `test/long/${file}.test.ts`),
      ];

/**
 * The suites of `npm test` that reach the rules through the shared service or directly; not those of the command line, which
 * run it as a process.
 */
export default {
  ...settings,
  rootDir: "../..",
  testMatch: (suites.length > 0 ? suites : all).map((files) => `<rootDir>/${files}`),
  testPathIgnorePatterns: ["/node_modules/"],
  testEnvironment: join(import.meta.dirname, "environment.js"),
  runner: join(import.meta.dirname, "runner.js"),
  filter: "<rootDir>/lab/mutants/filter.cjs",
};
