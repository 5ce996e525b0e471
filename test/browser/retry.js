import { jest } from "@jest/globals";

/*
 * A browser test that fails is tried once more, after the others of its file; .ci/sum-up.js names the ones that pass then. What
 * fails twice has failed, and a test that is flaky twice gets mended.
 */
jest.retryTimes(1, { logErrorsBeforeRetry: true });
