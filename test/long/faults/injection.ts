import { setTimeout as delay } from "node:timers/promises";
import { type RecordedStore, type StoreFault, withoutChecks } from "../../support/store/store-recorder.ts";
import type { DynamodbRecorder, Fault, RecordedCall } from "../../support/table/dynamodb-recorder.ts";
import { type FaultPeriod, type Strike, strikesAt } from "./trial.ts";

function both<F>(name: string, fault: F, leavesDoubt?: true): Strike<F>[] {
  return [
    { name: `${name} once`, fault, forGood: false },
    { name: `${name} for good`, fault, forGood: true, ...(leavesDoubt && { leavesDoubt }) },
  ];
}

/** Longer than the functions wait for DynamoDB. */
const lateMilliseconds = 3_600;

/** Faults before the call reaches the engine. Only functions/table/client.ts tells these apart; an operation sees one error. */
const refusals: readonly Strike<Fault>[][] = [
  both("throttled", { kind: "refuse", error: "ProvisionedThroughputExceededException" }),
  both("throttled by the account's limit", { kind: "refuse", error: "ThrottlingException" }),
  both("failed", { kind: "refuse", error: "InternalServerError", status: 500 }),
  both("unreachable", { kind: "unreachable" }),
];

/** Faults of a transaction that has changed nothing: only functions/table/retry-transaction-conflict.ts and client.ts tell them apart. */
const transactionRefusals: readonly Strike<Fault>[][] = [
  both("in conflict", { kind: "cancel", reason: "TransactionConflict" }),
  both("cancelled by throttling", { kind: "cancel", reason: "ThrottlingError" }),
  both("still in progress", { kind: "refuse", error: "TransactionInProgressException" }),
];

/** Operations that change nothing: of a read at another place a fault can only be another error or time. */
const reads: ReadonlySet<string> = new Set(["BatchGetItem", "GetItem", "Query"]);

/** Places of each operation at which it meets every fault. */
const wholePlaces = 8;

/**
 * Every fault that can meet a call to DynamoDB. That a call is tried again belongs to functions/table/client.ts (table-client.test.ts), so
 * at later places the refusals of all tries take turns, and of reads all such faults.
 *
 * @param turn the number of this place among those of its operation; undefined: all faults
 */
export function tableStrikes(operation: string, turn = 0): Strike<Fault>[] {
  const refused = operation === "TransactWriteItems" ? [...refusals, ...transactionRefusals] : refusals;
  const strikes: Strike<Fault>[] = [
    ...refusedAt(refused, turn),
    ...both<Fault>("without a response", { kind: "lose-response" }, true),
    { name: "late", fault: { kind: "delay", milliseconds: lateMilliseconds }, forGood: false },
    ...(operationStrikes[operation] ?? []),
  ];
  if (turn < wholePlaces || !reads.has(operation)) return strikes;
  return lastingOf(strikes, turn);
}

/** All refusals at the first places; later ones meet one, of all tries: no operation notices one that is tried again. */
function refusedAt<F>(refused: readonly Strike<F>[][], turn: number): Strike<F>[] {
  return turn < wholePlaces ? refused.flat() : lastingOf(refused.flat(), turn);
}

function lastingOf<F>(strikes: readonly Strike<F>[], turn: number): Strike<F>[] {
  const lasting = strikes.filter(({ forGood }) => forGood);
  const index = turn % lasting.length;
  return lasting.slice(index, index + 1);
}

/** Faults that only one operation meets. */
const operationStrikes: Readonly<Record<string, Strike<Fault>[]>> = {
  BatchGetItem: [
    ...both<Fault>("unprocessed", { kind: "unprocessed" }),
    { name: "half processed", fault: { kind: "unprocessed-rest" }, forGood: false },
  ],
  UpdateItem: both("in conflict", { kind: "refuse", error: "TransactionConflictException" }),
};

/** A fault of the store, for the requests that it applies to. */
export type StoreStrike = () => StoreFault | Promise<StoreFault>;

/** Only functions/files/store.ts tells these apart (store-client.test.ts). */
const storeRefusals: readonly Strike<StoreStrike>[][] = [
  both<StoreStrike>("throttled", () => 503),
  both<StoreStrike>("failed", () => 500),
  both<StoreStrike>("unreachable", () => "break"),
];

/** The faults of a request to the store: all of them at the first places of a kind of request, then the refusals take turns. */
export function storeStrikes(turn: number): Strike<StoreStrike>[] {
  return [
    ...refusedAt(storeRefusals, turn),
    ...both<StoreStrike>("without a response", () => "lose-response", true),
    { name: "slow", fault: () => delay(300, undefined), forGood: false },
  ];
}

/** Lets runs that work on different partitions have their own faults at the same time. */
export function inTable(recorder: DynamodbRecorder): FaultPeriod<Fault> {
  const decisions = new Map<string, (call: RecordedCall) => Fault | undefined>();
  recorder.plan((call) => {
    const named = JSON.stringify(call.input).matchAll(/"((?:ACCOUNT|PROJECT)#[\w-]+)"/g);
    const partition = [...named].map(([, name]) => name as string).find((name) => decisions.has(name));
    return partition === undefined ? undefined : decisions.get(partition)?.(call);
  });
  return deciding(decisions);
}

/** The same for the store: its keys name the project. */
export function inStore(recorder: RecordedStore): FaultPeriod<StoreStrike> {
  const decisions = new Map<string, (call: Call) => StoreStrike | undefined>();
  recorder.plan((request) => {
    const slug = /\/projects\/([\w-]+)\//.exec(request.path)?.[1];
    return decisions.get(`PROJECT#${slug}`)?.({ operation: request.kind })?.() ?? withoutChecks(request);
  });
  return deciding(decisions);
}

type Call = { readonly operation: string; readonly settled?: Promise<void> };

function deciding<C extends Call, F>(decisions: Map<string, (call: C) => F | undefined>): FaultPeriod<F> {
  return async (partitions, hit, action) => {
    const calls: C[] = [];
    const strikes = strikesAt(hit);
    const decide = (call: C) => {
      calls.push(call);
      return strikes(call.operation);
    };
    for (const partition of partitions) decisions.set(partition, decide);
    await action();
    await Promise.all(calls.map(({ settled }) => settled));
    for (const partition of partitions) decisions.delete(partition);
    return calls.map(({ operation }) => operation);
  };
}
