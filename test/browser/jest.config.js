import base from "../../jest.config.js";

/**
 * `npm run test:browser`: published games and the dashboard in a real browser. Not part of `npm test`, because it needs a
 * browser on the machine (see chromium.ts).
 */
export default {
  ...base,
  rootDir: "../..",
  testMatch: ["<rootDir>/test/browser/**/*.test.ts", "<rootDir>/options/*/test/browser/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/"],
  setupFilesAfterEnv: ["<rootDir>/test/browser/retry.js"],
  testTimeout: 120_000,
  testSequencer: "<rootDir>/test/long/longest-first.js",
};
