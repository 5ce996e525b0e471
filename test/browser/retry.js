import { afterEach, expect, jest } from "@jest/globals";

/*
 * A browser test that fails is tried once more, after the others of its file; .ci/sum-up.js names the ones that pass then. What
 * fails twice has failed, and a test that is flaky twice gets mended. With FAIL_FIRST=1 every test fails at its end the first time, which
 * shows whether its retry can pass.
 */
jest.retryTimes(1, { logErrorsBeforeRetry: true });

const tried = new Set();
if (process.env["FAIL_FIRST"])
  afterEach(() => {
    const { currentTestName } = expect.getState();
    if (tried.has(currentTestName)) return;
    tried.add(currentTestName);
    throw new Error("FAIL_FIRST");
  });
