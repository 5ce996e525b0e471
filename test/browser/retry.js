import { jest } from "@jest/globals";

/*
 * A browser test that fails is tried once more, after the others of its file; .ci/run names the ones that pass then. What fails
 * twice has failed.
 */
jest.retryTimes(1, { logErrorsBeforeRetry: true });
