import { once } from "node:events";
import { request as httpRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { startHttpServer } from "../network/http-server.ts";

/** One call of the SDK to the engine. Each of the SDK's retries is a call of its own. */
export interface RecordedCall {
  /** `BatchGetItem`, `TransactWriteItems` … */
  readonly operation: string;
  /** The request as DynamoDB's protocol has it: `{"PK": {"S": "…"}}`. */
  // biome-ignore lint/suspicious/noExplicitAny: DynamoDB's protocol, of which each test reads its part
  readonly input: any;
  /** Milliseconds of `performance.now()`. */
  readonly startedAt: number;
  endedAt: number;
  /** Resolves once the call can have no effect any more, which may be long after the SDK stopped waiting. */
  readonly settled: Promise<void>;
  /** The body of the engine's response; undefined if the call did not reach it. */
  response: Buffer | undefined;
}

/** Fault of a call, instead of, or beside, its usual response. */
export type Fault =
  /** It waits before it reaches the engine. */
  | { readonly kind: "delay"; readonly milliseconds: number }
  /** It waits for something else before it reaches the engine. */
  | { readonly kind: "overtaken"; readonly by: Promise<void> }
  /** It never reaches the engine; the response is this error, such as `ProvisionedThroughputExceededException`. */
  | { readonly kind: "refuse"; readonly error: string; readonly status?: number }
  /** It never reaches the engine and the connection breaks. */
  | { readonly kind: "unreachable" }
  /** It takes effect, and the connection breaks before the response. */
  | { readonly kind: "lose-response" }
  /** It never reaches the engine; the transaction is cancelled because of its first write, for this reason. */
  | { readonly kind: "cancel"; readonly reason: "TransactionConflict" | "ThrottlingError" }
  /** It never reaches the engine; every key of a BatchGetItem, or write of a BatchWriteItem, comes back as unprocessed. */
  | { readonly kind: "unprocessed" }
  /** Only the first key of a BatchGetItem reaches the engine; the others come back as unprocessed. */
  | { readonly kind: "unprocessed-rest" };

/** Decides what happens to a call; undefined: the usual. */
export type FaultPlan = (call: RecordedCall) => Fault | undefined;

/** A proxy between the service and its engine that records every call and makes faults happen. */
export interface DynamodbRecorder {
  readonly calls: RecordedCall[];
  /** Forgets the calls so far. */
  clear(): void;
  /** Lets the plan decide from now on; undefined: no plan. */
  plan(plan: FaultPlan | undefined): void;
  /** Runs something and returns the calls that were made meanwhile. */
  during(action: () => Promise<unknown>): Promise<RecordedCall[]>;
}

/**
 * The length of the longest chain of calls in which each began after the one before had ended: the round trips that a
 * request waited for.
 */
export function sequentialRoundTrips(calls: readonly Pick<RecordedCall, "startedAt" | "endedAt">[]): number {
  let count = 0;
  let lastEnd = Number.NEGATIVE_INFINITY;
  for (const { startedAt, endedAt } of calls.toSorted((a, b) => a.endedAt - b.endedAt)) {
    if (startedAt < lastEnd) continue;
    count += 1;
    lastEnd = endedAt;
  }
  return count;
}

const reads = new Set(["BatchGetItem", "GetItem", "Query", "Scan"]);

export function isRead({ operation }: Pick<RecordedCall, "operation">): boolean {
  return reads.has(operation);
}

/** Every read of items or of a partition must be strongly consistent: docs/architecture.md, "The table". */
function isEventuallyConsistent({ operation, input }: RecordedCall): boolean {
  const reads: { ConsistentRead?: boolean }[] =
    operation === "Query" ? [input] : Object.values(input.RequestItems ?? {});
  return ["BatchGetItem", "Query"].includes(operation) && !reads.every(({ ConsistentRead }) => ConsistentRead);
}

/** Names or values of expressions that are an empty map, or that no expression has: DynamoDB refuses them, the engine does not. */
function hasIdleParameters({ input }: RecordedCall): boolean {
  const requests: Record<string, object | string>[] = [
    input,
    ...Object.values(input.RequestItems ?? {}),
    ...(input.TransactItems ?? []).flatMap(Object.values),
  ];
  return requests.some((request) => {
    const expressions = Object.entries(request).flatMap(([name, text]) => (name.endsWith("Expression") ? [text] : []));
    const given = [request["ExpressionAttributeNames"], request["ExpressionAttributeValues"]].map(
      (map) => map && Object.keys(map),
    );
    return given.some(
      (names) =>
        names && (names.length === 0 || !names.every((name) => new RegExp(`${name}\\b`).test(expressions.join(" ")))),
    );
  });
}

/** Units that the engine charges for these calls together, of reads and writes. */
export function capacityUnits(calls: readonly RecordedCall[]): { readonly read: number; readonly write: number } {
  const units = { read: 0, write: 0 };
  for (const call of calls) units[isRead(call) ? "read" : "write"] += chargedFor(call);
  return units;
}

/**
 * Starts a recorder in front of an engine. It refuses reads that are not strongly consistent, and what DynamoDB refuses and the
 * engine does not. It does not keep the process alive.
 *
 * @param engine its endpoint
 */
export async function startRecorder(
  engine: string,
): Promise<DynamodbRecorder & { readonly endpoint: string; stop(): Promise<void> }> {
  const calls: RecordedCall[] = [];
  let plan: FaultPlan | undefined;
  const server = await startHttpServer(async (request, response) => {
    const body = await buffer(request);
    const operation = String(request.headers["x-amz-target"]).split(".").at(-1) ?? "";
    const startedAt = performance.now();
    const { promise: settled, resolve: settle } = Promise.withResolvers<void>();
    const call: RecordedCall = {
      settled,
      operation,
      input: JSON.parse(body.toString()),
      startedAt,
      endedAt: startedAt,
      response: undefined,
    };
    calls.push(call);
    const isRefused = isEventuallyConsistent(call) || hasIdleParameters(call);
    const refusal = isRefused && ({ kind: "refuse", error: "ValidationException" } as const);
    response.on("close", () => {
      call.endedAt = performance.now();
    });
    await respond({ engine, request, response, call, fault: refusal || plan?.(call) }).finally(settle);
  });
  return {
    ...server,
    calls,
    clear: () => {
      calls.length = 0;
    },
    plan: (next: FaultPlan | undefined) => {
      plan = next;
    },
    during: async (action: () => Promise<unknown>) => {
      const before = calls.length;
      await action();
      return calls.slice(before);
    },
  };
}

async function respond(exchange: {
  engine: string;
  request: IncomingMessage;
  response: ServerResponse;
  call: RecordedCall;
  fault: Fault | undefined;
}): Promise<void> {
  const { engine, request, response, call, fault } = exchange;
  switch (fault?.kind) {
    case "refuse":
      return sendJson(response, fault.status ?? 400, {
        __type: `com.amazonaws.dynamodb.v20120810#${fault.error}`,
        message: "The recorder refuses this call",
      });
    case "unreachable":
      response.destroy();
      return;
    case "unprocessed":
      return sendJson(response, 200, {
        Responses: {},
        UnprocessedKeys: call.input.RequestItems,
        UnprocessedItems: call.input.RequestItems,
      });
    case "cancel":
      return sendJson(response, 400, cancellation(call, fault.reason));
    case "unprocessed-rest":
      return sendJson(response, 200, await firstKeyOnly(engine, request, call));
    case "delay":
      await delay(fault.milliseconds);
      break;
    case "overtaken":
      await fault.by;
      break;
  }
  const { incoming, bytes } = await forward(engine, request, call.input);
  call.response = bytes;
  if (fault?.kind === "lose-response") response.destroy();
  else response.writeHead(incoming.statusCode ?? 500, incoming.headers).end(bytes);
}

/** Asks the engine what a call costs. The service does not ask, because it does not need to know. */
async function forward(engine: string, { url, headers }: IncomingMessage, input: object) {
  const body = Buffer.from(JSON.stringify({ ...input, ReturnConsumedCapacity: "TOTAL" }));
  const forwarded = httpRequest(engine + url, {
    method: "POST",
    headers: { ...headers, "content-length": body.byteLength },
  });
  forwarded.end(body);
  const [incoming] = (await once(forwarded, "response")) as [IncomingMessage];
  return { incoming, bytes: await buffer(incoming) };
}

function cancellation({ input }: RecordedCall, reason: string): object {
  const reasons = input.TransactItems.map((_: unknown, index: number) => ({ Code: index === 0 ? reason : "None" }));
  return {
    __type: "com.amazonaws.dynamodb.v20120810#TransactionCanceledException",
    Message: "The recorder cancels this transaction",
    CancellationReasons: reasons,
  };
}

async function firstKeyOnly(engine: string, request: IncomingMessage, { input }: RecordedCall): Promise<object> {
  const [
    [
      table = "",
      {
        Keys: [first, ...rest],
        ...options
      },
    ] = ["", { Keys: [] }],
  ] = Object.entries<{
    Keys: unknown[];
  }>(input.RequestItems);
  const asked = { RequestItems: { [table]: { ...options, Keys: [first] } } };
  const { bytes } = await forward(engine, request, asked);
  const UnprocessedKeys = rest.length > 0 ? { [table]: { ...options, Keys: rest } } : {};
  return { ...JSON.parse(bytes.toString()), UnprocessedKeys };
}

interface CapacityResponse {
  readonly ConsumedCapacity?: { readonly CapacityUnits: number } | readonly { readonly CapacityUnits: number }[];
}

function chargedFor({ response }: RecordedCall): number {
  if (response === undefined) return 0;
  const { ConsumedCapacity: charged = [] } = JSON.parse(response.toString()) as CapacityResponse;
  return [charged].flat().reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(body));
}
