import { expect } from "@jest/globals";
import type { DynamodbRecorder } from "../table/dynamodb-recorder.ts";
import type { CheckedResponse } from "./checked-request.ts";

const writes = new Set(["TransactWriteItems", "UpdateItem"]);

/** Makes a function that sends a request whose first write waits until something else has happened. */
export function overtakenBy(service: { readonly recorder: Pick<DynamodbRecorder, "plan"> }) {
  return async (request: () => Promise<CheckedResponse>, by: () => Promise<unknown>): Promise<CheckedResponse> => {
    let done: Promise<void> | undefined;
    service.recorder.plan(({ operation }) => {
      if (done !== undefined || !writes.has(operation)) return undefined;
      done = by().then(() => undefined);
      return { kind: "overtaken", by: done };
    });
    const response = await request();
    service.recorder.plan(undefined);
    expect(done).toBeDefined();
    return response;
  };
}
