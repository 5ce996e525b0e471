import { readFileSync } from "node:fs";
import { join } from "node:path";
import base from "../../jest.config.js";

/** One project for each fault of the table that a test without a service notices, and one without a fault: dangers/main.ts. */
const { faults, paths } = JSON.parse(readFileSync(process.env["DANGERS"] ?? "", "utf8"));
const root = join(import.meta.dirname, "../..");
const { globalSetup: _, maxWorkers, workerGracefulExitTimeout, ...settings } = base;
const [[pattern, [, swc]]] = Object.entries(base.transform);

const project = (displayName, tests, transform) => ({
  ...settings,
  rootDir: root,
  displayName,
  testMatch: tests.map((path) => `<rootDir>/${path}`),
  testPathIgnorePatterns: ["/node_modules/"],
  transform,
});

export default {
  rootDir: root,
  maxWorkers,
  workerGracefulExitTimeout,
  reporters: [join(import.meta.dirname, "reporter.js")],
  projects: [
    project("none", paths, base.transform),
    ...faults.map(({ name, file, find, replace, test }) =>
      project(name, [test], {
        [pattern]: [join(import.meta.dirname, "transform.js"), { file: join(root, file), find, replace, swc }],
      }),
    ),
  ],
};
