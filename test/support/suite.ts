import { afterAll, beforeAll } from "@jest/globals";
import { type DynamodbRecorder, startRecordedService } from "./dynamodb-recorder.ts";
import { type ServiceOptions, startService, type TestService } from "./service.ts";

/**
 * Starts something before the tests of a file and stops it after them.
 *
 * @returns what was started, for use in tests and hooks: it has no members before
 */
export function duringTests<T extends { stop(): Promise<void> }>(start: () => Promise<T>): T {
  const handle = {} as T;
  beforeAll(async () => {
    // Getters stay getters.
    Object.defineProperties(handle, Object.getOwnPropertyDescriptors(await start()));
  });
  afterAll(async () => {
    // Where it did not start, the tests have failed already.
    await (handle as Partial<T>).stop?.();
  });
  return handle;
}

/** A service for the tests of a file. */
export function useService(options: ServiceOptions = {}): TestService {
  return duringTests(() => startService(options));
}

/** A service for the tests of a file, whose calls to DynamoDB are recorded. */
export function useRecordedService(): TestService & { recorder: DynamodbRecorder } {
  return duringTests(() => startRecordedService());
}
