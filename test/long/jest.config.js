import base from "../../jest.config.js";

/**
 * The longer suites, one script for each folder (`npm run test:integration -- test/long/security`), and the tests of infra/, which synthesise stacks: not
 * part of `npm test`, whose budget is two minutes.
 */
export default {
  ...base,
  // They run the functions as they are deployed.
  globals: {},
  rootDir: "../..",
  testMatch: ["<rootDir>/{infra,test/long,options/*/infra,options/*/test/long}/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/"],
  testTimeout: 120_000,
  testSequencer: "<rootDir>/test/long/longest-first.js",
};
