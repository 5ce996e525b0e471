import base from "../../../jest.config.js";

/** The suites of the API against a deployed stage: lab/cloud/suites.test.ts runs them, and says in SVC_DEPLOYED where it is. */
export default {
  ...base,
  rootDir: "../../..",
  testMatch: [
    "<rootDir>/test/api/**/*.test.ts",
    "<rootDir>/options/notices/test/{mails,outbox,release-notices}.test.ts",
    "<rootDir>/options/profiles/test/{export,grants,telemetry}.test.ts",
    "<rootDir>/options/statistics/test/statistics.test.ts",
  ],
  testEnvironment: "<rootDir>/lab/cloud/suites/environment.js",
  testTimeout: 60_000,
  // They share one stage.
  maxWorkers: 1,
};
