import type { DynamodbRecorder, Fault, RecordedCall } from "../support/dynamodb-recorder.ts";

/** A call of an operation, found again in another run of it: the second BatchGetItem, say. */
export interface Place {
  readonly operation: string;
  readonly nth: number;
}

/** A fault, and whether it strikes one call alone or that call and all of its kind after it. */
export interface Strike {
  readonly name: string;
  readonly fault: Fault;
  readonly forGood: boolean;
  /** Whether the write may have taken effect although the caller was told that it failed. */
  readonly leavesDoubt?: true;
}

/** The places of the calls that were recorded. */
export function placesOf(calls: readonly RecordedCall[]): Place[] {
  const counts = new Map<string, number>();
  return calls.map(({ operation }) => {
    const nth = (counts.get(operation) ?? 0) + 1;
    counts.set(operation, nth);
    return { operation, nth };
  });
}

/** Every fault that can meet a call of an operation. */
export function strikesOn(operation: string): Strike[] {
  const both = (name: string, fault: Fault, leavesDoubt?: true): Strike[] => [
    { name: `${name} once`, fault, forGood: false },
    { name: `${name} for good`, fault, forGood: true, ...(leavesDoubt && { leavesDoubt }) },
  ];
  return [
    ...both("throttled", { kind: "refuse", error: "ProvisionedThroughputExceededException" }),
    ...both("throttled by the account's limit", { kind: "refuse", error: "ThrottlingException" }),
    ...both("failed", { kind: "refuse", error: "InternalServerError", status: 500 }),
    ...both("unreachable", { kind: "unreachable" }),
    ...both("without an answer", { kind: "lose-answer" }, true),
    { name: "slow", fault: { kind: "delay", milliseconds: 300 }, forGood: false },
    { name: "late", fault: { kind: "delay", milliseconds: lateMilliseconds }, forGood: false },
    ...(operation === "BatchGetItem"
      ? [
          ...both("unprocessed", { kind: "unprocessed" }),
          { name: "half processed", fault: { kind: "unprocessed-rest" } as const, forGood: false },
        ]
      : []),
    ...(operation === "TransactWriteItems"
      ? [
          ...both("in conflict", { kind: "cancel", reason: "TransactionConflict" }),
          ...both("cancelled by throttling", { kind: "cancel", reason: "ThrottlingError" }),
          ...both("still in progress", { kind: "refuse", error: "TransactionInProgressException" }),
        ]
      : []),
  ];
}

/** Longer than the functions wait for DynamoDB: the call takes effect after they have given it up. */
export const lateMilliseconds = 3_600;

/** Lets runs that work on different partitions have their own faults at the same time. */
export function injector(recorder: DynamodbRecorder) {
  const decisions = new Map<string, (call: RecordedCall) => Fault | undefined>();
  recorder.plan((call) => {
    const partition = partitionOf(call, decisions);
    return partition === undefined ? undefined : decisions.get(partition)?.(call);
  });
  return {
    /** Runs something while calls about these partitions meet a fault, and returns those calls. */
    async during(partitions: readonly string[], strike: (Strike & Place) | undefined, action: () => Promise<void>) {
      const calls: RecordedCall[] = [];
      let count = 0;
      const decide = (call: RecordedCall) => {
        calls.push(call);
        if (call.operation !== strike?.operation) return undefined;
        count += 1;
        return count === strike.nth || (strike.forGood && count > strike.nth) ? strike.fault : undefined;
      };
      for (const partition of partitions) decisions.set(partition, decide);
      await action();
      for (const partition of partitions) decisions.delete(partition);
      return calls;
    },
  };
}

function partitionOf({ input }: RecordedCall, known: ReadonlyMap<string, unknown>): string | undefined {
  const named = JSON.stringify(input).matchAll(/"((?:ACCOUNT|PROJECT)#[\w-]+)"/g);
  return [...named].map(([, partition]) => partition as string).find((partition) => known.has(partition));
}
