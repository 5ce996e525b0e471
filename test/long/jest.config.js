import base from "../../jest.config.js";

/** `npm run test:security`, `test:faults`, `test:runtime` and `test:scale`: not part of `npm test`, whose budget is two minutes. */
export default {
  ...base,
  rootDir: "../..",
  testMatch: ["<rootDir>/test/long/**/*.test.ts"],
  testPathIgnorePatterns: ["/node_modules/"],
  testTimeout: 120_000,
};
