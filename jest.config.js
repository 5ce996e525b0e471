/** @type {import("jest").Config} */
export default {
  testMatch: ["<rootDir>/{contract,dashboard,edge,functions,cli,local,test,tools,bench}/**/*.test.ts"],
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
  // They wait for real processes and sockets: on two cores three at once take a tenth less time than two.
  maxWorkers: 3,
  // Jest keeps the modules of every test file in memory. Of the 650 MB that a worker has at last, it takes more than the
  // 500 ms that Jest waits by default until they are given back; no handle is open by then.
  workerGracefulExitTimeout: 5_000,
};
