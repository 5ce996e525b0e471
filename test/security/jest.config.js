import base from "../../jest.config.js";

/** `npm run test:security` and `npm run test:faults`: not part of `npm test`, whose budget is two minutes. */
export default {
  ...base,
  rootDir: "../..",
  testMatch: ["<rootDir>/test/{security,faults}/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/"],
  testTimeout: 120_000,
};
