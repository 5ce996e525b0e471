import { readFileSync } from "node:fs";

/*
 * `node .ci/sum-up.js FAILED REPORT…`: the closing lines of .ci/run, from the test runner's JSON reports and the number of other
 * steps that failed.
 */
const [otherSteps, ...paths] = process.argv.slice(2);
const reports = paths.map((path) => JSON.parse(readFileSync(path, "utf8")));
const sum = (...names) => reports.flatMap((report) => names.map((name) => report[name])).reduce((a, b) => a + b, 0);
const tests = reports.flatMap(({ testResults }) => testResults.flatMap(({ assertionResults }) => assertionResults));
// Passed when it was tried once more (test/browser/retry.js).
const flaky = tests.filter(({ status, invocations }) => status === "passed" && invocations > 1);
if (flaky.length > 0)
  console.log([`${flaky.length} flaky`, ...flaky.map(({ fullName }) => `  ${fullName}`), ""].join("\n"));
const [passed, skipped] = [sum("numPassedTests"), sum("numPendingTests")];
const failed = sum("numFailedTests", "numRuntimeErrorTestSuites") + Number(otherSteps);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
