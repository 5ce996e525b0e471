/** @type {import("jest").Config} */
export default {
  testMatch: ["<rootDir>/{contract,edge,functions,cli,local,test,tools,bench}/**/*.test.ts"],
  modulePathIgnorePatterns: ["<rootDir>/build/", "<rootDir>/cli/dist/", "<rootDir>/cdk.out/"],
  testPathIgnorePatterns: ["/node_modules/", "<rootDir>/test/long/", "<rootDir>/test/browser/"],
  testEnvironment: "<rootDir>/test/support/environment.js",
  globalSetup: "<rootDir>/test/support/global-setup.ts",
  extensionsToTreatAsEsm: [".ts"],
  transform: {
    "^.+\\.ts$": [
      "@swc/jest",
      {
        jsc: { target: "es2024", parser: { syntax: "typescript" }, experimental: { keepImportAttributes: true } },
        module: { type: "es6" },
      },
    ],
  },
  testTimeout: 30_000,
  maxWorkers: 2,
};
