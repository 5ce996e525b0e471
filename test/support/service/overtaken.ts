import { expect } from "@jest/globals";
import type { DynamodbRecorder, RecordedCall } from "../table/dynamodb-recorder.ts";
import type { CheckedResponse } from "./checked-request.ts";

const writes = new Set(["TransactWriteItems", "UpdateItem"]);

/**
 * Makes a function that sends a request whose first write waits until something else has happened.
 *
 * @param isOvertaken which call waits instead of the first write
 */
export function overtakenBy(
  service: { readonly recorder: Pick<DynamodbRecorder, "plan"> },
  isOvertaken = ({ operation }: RecordedCall) => writes.has(operation),
) {
  return async (request: () => Promise<CheckedResponse>, by: () => Promise<unknown>): Promise<CheckedResponse> => {
    let done: Promise<void> | undefined;
    service.recorder.plan((call) => {
      if (done !== undefined || !isOvertaken(call)) return undefined;
      done = by().then(() => undefined);
      return { kind: "overtaken", by: done };
    });
    const response = await request();
    service.recorder.plan(undefined);
    expect(done).toBeDefined();
    return response;
  };
}
