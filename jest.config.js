/**
 * `npm test` has V8's compilation cache off: with --experimental-vm-modules every test file gets entries of its own there,
 * which keep its modules and its globals, 2 to 6 MB a file. And it gives new objects more room, since most live for one test.
 *
 * @type {import("jest").Config}
 */
export default {
  testMatch: ["<rootDir>/{contract,dashboard,edge,functions,cli,local,options,publisher,test}/**/*.test.ts"],
  modulePathIgnorePatterns: ["<rootDir>/build/", "<rootDir>/cli/dist/", "<rootDir>/cdk.out/"],
  testPathIgnorePatterns: ["/node_modules/", "/test/long/", "/test/browser/", "/infra/"],
  testEnvironment: "<rootDir>/test/support/environment.js",
  // infra/bundle.ts
  globals: { splitFunctions: true },
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
  // On a busy machine it takes more than the 500 ms that Jest waits by default until a worker has given its memory back; no
  // handle is open by then.
  workerGracefulExitTimeout: 5_000,
};
