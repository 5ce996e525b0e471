import long from "../test/long/jest.config.js";

/** `npm run test:lab`: what is random, foreign or slow. Whole before a release and each night; single files by their path. */
export default {
  ...long,
  rootDir: "..",
  globalSetup: "<rootDir>/lab/global-setup.ts",
  testMatch: ["<rootDir>/lab/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/"],
};
