import browser from "../../test/browser/jest.config.js";

/** `npm test -- --config lab/play/jest.config.js`: every game of the suite and of engines.ts in every browser that is installed, and what `svc check` says of them. It fetches 300 MB, once. */
export default {
  ...browser,
  rootDir: "../..",
  testMatch: ["<rootDir>/test/browser/games/{games,check}.test.ts"],
  globals: { everyGame: true },
};
