import { TransactionCanceledException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { expect, test } from "@jest/globals";
import { retryTransactionConflict } from "./retry-transaction-conflict.ts";

function cancelled(...codes: (string | undefined)[]): Error {
  const CancellationReasons = codes.map((Code) => ({ Code }));
  return new TransactionCanceledException({ message: "cancelled", $metadata: {}, CancellationReasons });
}

/** Number of times that a write is sent whose first attempt fails so. */
async function attemptsAfter(error: Error): Promise<number> {
  let attempts = 0;
  const write = async () => {
    attempts += 1;
    if (attempts === 1) throw error;
  };
  await retryTransactionConflict(write).catch((thrown) => expect(thrown).toBe(error));
  return attempts;
}

test.each(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"])(
  "a transaction is sent again if DynamoDB cancels it for %s of one item",
  async (code) => {
    expect(await attemptsAfter(cancelled("None", code, undefined))).toBe(2);
  },
);

test("a single write is sent again if a transaction holds its item", async () => {
  expect(await attemptsAfter(new TransactionConflictException({ message: "held", $metadata: {} }))).toBe(2);
});

test.each([
  ["if a condition does not hold, also beside a conflict", cancelled("ConditionalCheckFailed", "TransactionConflict")],
  ["if DynamoDB cancels it for good", cancelled("None", "ValidationError")],
  ["if DynamoDB gives no reason", new TransactionCanceledException({ message: "cancelled", $metadata: {} } as never)],
  ["after any other error", new Error("ThrottlingError")],
])("a write is sent once %s", async (_, error) => {
  expect(await attemptsAfter(error)).toBe(1);
});
