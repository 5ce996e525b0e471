import TestRunner from "jest-runner";
import { readCoveringFiles } from "./covering-files.js";

/** The files whose tests have failed under a mutant, the last one first: they probably notice the next mutant too. */
let noticed = [];

/**
 * jest's runner, which ends the run of a mutant with the first file that notices it, because loading a file takes most of the time.
 * Stryker turns off jest's own `bail`, which would end the process.
 */
export default class MutantRunner extends TestRunner {
  async runTests(tests, watcher, options) {
    if (process.env["__STRYKER_ACTIVE_MUTANT__"] === undefined) return await super.runTests(tests, watcher, options);
    this.on("test-file-success", ([test, { numFailingTests }]) => {
      if (numFailingTests === 0) return;
      noticed = [test.path, ...noticed.filter((path) => path !== test.path)];
      watcher.setState({ interrupted: true });
    });
    return await super.runTests(inPromisingOrder(tests), watcher, options);
  }
}

/** First those that noticed a mutant before, then the quickest. */
function inPromisingOrder(tests) {
  const { milliseconds } = readCoveringFiles();
  const rank = ({ path }) =>
    noticed.includes(path) ? noticed.indexOf(path) - noticed.length : (milliseconds[path] ?? 0);
  return tests.toSorted((a, b) => rank(a) - rank(b));
}
