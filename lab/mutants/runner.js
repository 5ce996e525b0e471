import TestRunner from "jest-runner";
import { readCoveringFiles } from "./covering-files.js";

/** What a mutant's test files may take together, by the time that each took without a mutant. */
const millisecondsOfMutant = Number(process.env["MILLISECONDS"] ?? 8_000);

/** The last files whose tests have failed under a mutant: they probably notice the next mutant too. */
let noticed = [];

/**
 * jest's runner, which stops the run of a mutant with the first file that notices it, because loading a file takes most of the time.
 * Stryker turns off jest's own `bail`, which would stop the process.
 */
export default class MutantRunner extends TestRunner {
  async runTests(tests, watcher, options) {
    if (process.env["__STRYKER_ACTIVE_MUTANT__"] === undefined) return await super.runTests(tests, watcher, options);
    this.on("test-file-success", ([test, { numFailingTests }]) => {
      if (numFailingTests === 0) return;
      noticed = [test.path, ...noticed.filter((path) => path !== test.path)].slice(0, 3);
      watcher.setState({ interrupted: true });
    });
    return await super.runTests(promising(tests), watcher, options);
  }
}

/**
 * The quickest files that this time is enough for, of these first the ones that noticed the mutants before. Half of all files reach
 * what every request runs: a mutant there that none of them notices would take minutes. --processes runs all suites that it names.
 */
function promising(tests) {
  const { milliseconds } = readCoveringFiles();
  const timeOf = ({ path }) => milliseconds[path] ?? 0;
  const rank = ({ path }) => (noticed.includes(path) ? noticed.indexOf(path) : noticed.length);
  const quickest = tests.toSorted((a, b) => timeOf(a) - timeOf(b));
  let left = process.env["IN_PROCESSES"] === undefined ? millisecondsOfMutant : Number.POSITIVE_INFINITY;
  const chosen = quickest.filter((test, index) => {
    left -= timeOf(test);
    return index === 0 || left > 0;
  });
  return chosen.toSorted((a, b) => rank(a) - rank(b));
}
