import { routes } from "../../contract/routes.ts";
import { prices } from "../../infra/prices.ts";
import { actorsOf } from "../../test/support/actors.ts";
import { type RecordedCall, sequentialRoundTrips, startRecordedService } from "../../test/support/dynamodb-recorder.ts";
import { startRecordedStore } from "../../test/support/store-recorder.ts";
import { barChart } from "../harness/chart.ts";
import { applyLoad } from "../harness/load.ts";
import { number, type Section, type Target, table } from "../harness/section.ts";
import { atMost, targetList } from "../harness/targets.ts";
import { type Case, cases } from "../stage/cases.ts";

/** What a request needs of the engines, counted. */
interface Counts {
  readonly roundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly tableBytes: number;
  /** GET. */
  readonly storeReads: number;
  /** PUT and LIST, which cost the same. */
  readonly storeWrites: number;
  readonly invocations: number;
}

interface Row {
  readonly name: string;
  readonly ours: Counts;
  readonly common: Counts;
}

/** How long a function of 1 GB is billed: what cannot be measured without the region. */
const assumed = { millisecondsAnInvocation: 2, millisecondsARoundTrip: 4 };

/** What every request costs: calls counted on a stage whose engine tells what it charges for each. */
export async function cost(): Promise<Section> {
  const store = await startRecordedStore();
  const stage = await startRecordedService({ env: { S3_ENDPOINT: store.endpoint } });
  try {
    const actors = actorsOf(stage);
    const rows: Row[] = [];
    for (const one of cases()) {
      const requests = await one.prepare(actors, 1);
      const { method } = routes[one.route];
      let kinds: string[] = [];
      const calls = await stage.recorder.during(async () => {
        const made = await store.during(() => applyLoad({ api: stage.api, method, requests, connections: 1 }));
        kinds = made.map(({ kind }) => kind);
      });
      const ours = countsOf(calls, kinds);
      rows.push({ name: one.name, ours, common: commonDesign(one, requests[0]?.credential, calls, ours) });
    }
    return section(rows);
  } finally {
    await stage.stop();
    await store.stop();
  }
}

const reads = new Set(["BatchGetItem", "GetItem", "Query"]);

function countsOf(calls: readonly RecordedCall[], storeRequests: readonly string[] = []): Counts {
  const storeReads = storeRequests.filter((kind) => kind === "get").length;
  const unitsOf = (wanted: boolean) =>
    calls
      .filter(({ operation }) => reads.has(operation) === wanted)
      .reduce((sum, { capacityUnits }) => sum + capacityUnits, 0);
  return {
    roundTrips: sequentialRoundTrips(calls),
    readUnits: unitsOf(true),
    writeUnits: unitsOf(false),
    tableBytes: calls.reduce((sum, { sentBytes, receivedBytes }) => sum + sentBytes + receivedBytes, 0),
    storeReads,
    storeWrites: storeRequests.length - storeReads,
    invocations: 1,
  };
}

/**
 * The same request in the design that most services of this kind have, worked out from our own calls. A Lambda
 * authorizer, uncached because a cached response outlives a revocation, finds the token by its hash in a global secondary
 * index (half a unit, eventually consistent) and then its account (one unit); for an ID token it verifies the signature
 * and the handler reads the account. Everything else is as ours. A token that is stored or revoked is written to the
 * index as well.
 */
function commonDesign(
  { route }: Case,
  credential: string | undefined,
  calls: readonly RecordedCall[],
  ours: Counts,
): Counts {
  if (routes[route].credential === "none") return ours;
  const [authentication, ...rest] = calls;
  const isToken = credential?.startsWith("pat_") ?? false;
  const handler = countsOf(rest);
  const projectUnits = Math.max(0, (authentication?.capacityUnits ?? 0) - (isToken ? 2 : 1));
  const writesToken = route === "createToken" || route === "revokeToken";
  return {
    roundTrips: (isToken ? 2 : 1) + (projectUnits > 0 ? 1 : 0) + handler.roundTrips,
    readUnits: (isToken ? 1.5 : 1) + projectUnits + handler.readUnits,
    writeUnits: handler.writeUnits + (writesToken ? 1 : 0),
    tableBytes: ours.tableBytes,
    storeReads: ours.storeReads,
    storeWrites: ours.storeWrites,
    invocations: 2,
  };
}

function dollarsAMillion(counts: Counts): number {
  const { roundTrips, readUnits, writeUnits, storeReads, storeWrites, invocations } = counts;
  const seconds =
    (invocations * assumed.millisecondsAnInvocation + roundTrips * assumed.millisecondsARoundTrip) / 1_000;
  return (
    prices.millionApiRequests +
    invocations * prices.millionFunctionCalls +
    seconds * prices.millionGigabyteSeconds +
    readUnits * prices.millionTableReadUnits +
    writeUnits * prices.millionTableWriteUnits +
    storeReads * prices.millionStoreReads +
    storeWrites * prices.millionStoreWrites
  );
}

/** DynamoDB round trips in sequence. */
const mostRoundTrips: Readonly<Record<string, number>> = {
  "GET /me by token": 1,
  "GET /me by ID token": 1,
  "POST /auth/session, nothing new": 1,
  "POST /auth/session, first": 2,
  "POST /tokens": 2,
  "DELETE /tokens/:id": 2,
  "PATCH /me": 2,
};

function targetsOf(rows: readonly Row[]): Target[] {
  const limited = rows.filter(({ name }) => Object.hasOwn(mostRoundTrips, name));
  return [1, 2].map((most) => {
    const of = limited.filter(({ name }) => mostRoundTrips[name] === most);
    const names = of.map(({ name }) => `\`${name}\``).join(", ");
    return atMost(
      `DynamoDB round trips in sequence of ${names}`,
      Math.max(...of.map(({ ours }) => ours.roundTrips)),
      most,
      "",
    );
  });
}

function section(rows: readonly Row[]): Section {
  const targets = targetsOf(rows);
  const priceOf = (name: string, design: "ours" | "common") => {
    const counts = rows.find((row) => row.name === name)?.[design];
    return counts === undefined ? "" : `$${dollarsAMillion(counts).toFixed(2)}`;
  };
  return {
    targets,
    markdown: `## What a request costs in the cloud

Counted on the local service, whose engine tells what DynamoDB charges for each call. *Common design*: the same API with an
uncached Lambda authorizer that looks tokens up in a global secondary index, worked out from the same calls
(\`bench/areas/cost.ts\` has the rules). It cannot promise that the next request after a revocation is refused: an index is
eventually consistent. Dollars: list prices of us-east-1 on demand, API Gateway, Lambda (arm64, 1 GB, ${assumed.millisecondsAnInvocation} ms an
invocation and ${assumed.millisecondsARoundTrip} ms a round trip assumed) DynamoDB and S3 together, without logs and transfer.

${targetList(targets)}

![Dollars a million requests](plots/cost.svg)

${table(
  [
    "request",
    "round trips in sequence",
    "read units",
    "write units",
    "DynamoDB bytes",
    "S3 GET",
    "S3 PUT, LIST",
    "$ a million",
    "common: round trips",
    "read units",
    "write units",
    "invocations",
    "$ a million",
  ],
  rows.map(({ name, ours, common }) => [
    name,
    String(ours.roundTrips),
    String(ours.readUnits),
    String(ours.writeUnits),
    number(ours.tableBytes),
    String(ours.storeReads),
    String(ours.storeWrites),
    dollarsAMillion(ours).toFixed(2),
    String(common.roundTrips),
    String(common.readUnits),
    String(common.writeUnits),
    String(common.invocations),
    dollarsAMillion(common).toFixed(2),
  ]),
)}`,
    plots: {
      "cost.svg": barChart({
        title: `A million requests by token cost ${priceOf("GET /me by token", "ours")}; with an authorizer and an index, ${priceOf("GET /me by token", "common")}`,
        subtitle: "US dollars in us-east-1: API Gateway, Lambda, DynamoDB and S3; shorter is better",
        categories: rows.map(({ name }) => name),
        series: {
          svc: rows.map(({ ours }) => dollarsAMillion(ours)),
          "Lambda authorizer and index (computed)": rows.map(({ common }) => dollarsAMillion(common)),
        },
        label: (value) => `$${value.toFixed(2)}`,
      }),
    },
  };
}
