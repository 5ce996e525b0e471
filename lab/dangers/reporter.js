import { writeFileSync } from "node:fs";

/** Writes the tests of each project that failed, with their messages: jest's own JSON report does not name the project. */
export default class ProjectReporter {
  onRunComplete(_, { testResults }) {
    const results = testResults.map(({ displayName, testFilePath, testExecError, testResults: tests }) => ({
      project: displayName?.name,
      path: testFilePath,
      error: testExecError?.message,
      tests: tests.map(({ fullName, status, failureMessages }) => ({ fullName, status, failureMessages })),
    }));
    writeFileSync(process.env["DANGERS_REPORT"] ?? "", JSON.stringify(results));
  }
}
