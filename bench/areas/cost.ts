import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RouteName, routes } from "../../contract/routes.ts";
import { prices } from "../../infra/prices.ts";
import { actorsOf } from "../../test/support/service/actors.ts";
import { perform } from "../../test/support/service/operations.ts";
import { startRecordedService } from "../../test/support/service/recorded-service.ts";
import type { TestService } from "../../test/support/service/service.ts";
import { startRecordedStore } from "../../test/support/store/store-recorder.ts";
import { capacityUnits, type RecordedCall, sequentialRoundTrips } from "../../test/support/table/dynamodb-recorder.ts";
import { type Area, type Effort, type Figure, type Measured, number } from "../area.ts";
import { countEdgeUnits, type EdgeUnits } from "../parts/edge-visits.ts";
import { makeFolder } from "../parts/game-folder.ts";
import { installSvc } from "../parts/installed-cli.ts";
import { svcPublisher } from "../parts/publishers.ts";
import { type ApiRequest, requestsOf } from "../parts/requests.ts";

/** The billed time of a function of 1 GB, which only a deployed stage could measure. */
const assumed = { millisecondsAnInvocation: 2, millisecondsARoundTrip: 4, millisecondsAtTheOrigin: 5 };
/** Of Lambda@Edge. */
const originGigabytes = 0.5;
const hitShares = [0, 0.9, 0.99];

/** Round trips to DynamoDB, one after the other. */
const mostRoundTrips: Partial<Record<RouteName, number>> = {
  getMe: 1,
  updateMe: 2,
  createToken: 2,
  revokeToken: 2,
  createSession: 1,
};

const figures = {
  roundTrips: (name: RouteName) => `round trips to DynamoDB of \`${labelOf(name)}\``,
  tableCalls: "an unchanged `svc publish` of 200 files: calls to DynamoDB",
  storeRequests: "an unchanged `svc publish` of 200 files: requests to the store",
};

/** The calls to DynamoDB and S3 of every request, and what they cost. */
export const area: Area = {
  name: "cost",
  title: "What a request costs in the cloud",
  method: `Counted on the local service, whose engine tells what DynamoDB charges for each call; round trips are those in sequence.
Dollars are list prices of us-east-1 on demand for API Gateway, Lambda (arm64, 1 GB, ${assumed.millisecondsAnInvocation} ms an invocation and
${assumed.millisecondsARoundTrip} ms a round trip assumed), DynamoDB and S3 together, without logs and transfer.
A player's request is counted on the model of CloudFront: two calls of viewer functions, and on a miss two of Lambda@Edge (512 MB,
${assumed.millisecondsAtTheOrigin} ms each assumed).`,
  decides: [figures.roundTrips("getMe")],
  targets: {
    ...Object.fromEntries(
      Object.entries(mostRoundTrips).map(([name, atMost]) => [figures.roundTrips(name as RouteName), { atMost }]),
    ),
    [figures.tableCalls]: { atMost: 2 },
    [figures.storeRequests]: { atMost: 0 },
  },
  measure,
};

interface Counts {
  readonly roundTrips: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  readonly storeReads: number;
  /** PUT and LIST, which cost the same. */
  readonly storeWrites: number;
}

async function measure(_: Effort): Promise<Measured> {
  const store = await startRecordedStore();
  const service = await startRecordedService({ env: { S3_ENDPOINT: store.endpoint } });
  const count = async (action: () => Promise<unknown>): Promise<Counts> => {
    let kinds: string[] = [];
    const calls = await service.recorder.during(async () => {
      kinds = (await store.during(action)).map(({ kind }) => kind);
    });
    return countsOf(calls, kinds);
  };
  try {
    const actors = actorsOf(service);
    const rows = new Map<RouteName, Counts>();
    for (const name of Object.keys(routes) as RouteName[]) {
      const [request] = await requestsOf(name, actors, 1);
      rows.set(name, await count(() => send(service, request as ApiRequest)));
    }
    const unchanged = await countUnchangedPublish({ ...service, actors }, count);
    return resultOf(rows, unchanged, await countEdgeUnits(hitShares));
  } finally {
    await service.stop();
    await store.stop();
  }
}

async function send(service: TestService, request: ApiRequest): Promise<void> {
  const caller =
    request.credential === undefined ? actorsOf(service).anonymous : actorsOf(service).bearer(request.credential);
  const { status } = await perform(caller, request);
  if (status >= 400) throw new Error(`${request.method} ${request.path} answered ${status}`);
}

async function countUnchangedPublish(
  service: Parameters<typeof svcPublisher>[1],
  count: (action: () => Promise<unknown>) => Promise<Counts>,
): Promise<Counts> {
  const home = await mkdtemp(join(tmpdir(), "svc-bench-home-"));
  try {
    const folder = await makeFolder(home, 200);
    const publisher = svcPublisher({ home, folder, svc: await installSvc() }, service);
    await publisher.prepare();
    await publisher.run();
    return await count(publisher.run);
  } finally {
    await rm(home, { recursive: true });
  }
}

function countsOf(calls: readonly RecordedCall[], storeRequests: readonly string[]): Counts {
  const storeReads = storeRequests.filter((kind) => kind === "get").length;
  const { read: readUnits, write: writeUnits } = capacityUnits(calls);
  return {
    roundTrips: sequentialRoundTrips(calls),
    readUnits,
    writeUnits,
    storeReads,
    storeWrites: storeRequests.length - storeReads,
  };
}

function dollarsAMillion({ roundTrips, readUnits, writeUnits, storeReads, storeWrites }: Counts): number {
  const seconds = (assumed.millisecondsAnInvocation + roundTrips * assumed.millisecondsARoundTrip) / 1_000;
  return (
    prices.millionApiRequests +
    prices.millionFunctionCalls +
    seconds * prices.millionGigabyteSeconds +
    readUnits * prices.millionTableReadUnits +
    writeUnits * prices.millionTableWriteUnits +
    storeReads * prices.millionStoreReads +
    storeWrites * prices.millionStoreWrites
  );
}

function dollarsAMillionAtEdge({ viewerCalls, originCalls, storeReads }: EdgeUnits): number {
  const gigabyteSeconds = (originCalls * originGigabytes * assumed.millisecondsAtTheOrigin) / 1_000;
  return (
    prices.millionEdgeRequests +
    viewerCalls * prices.millionViewerFunctionCalls +
    originCalls * prices.millionOriginFunctionCalls +
    gigabyteSeconds * prices.millionOriginGigabyteSeconds +
    storeReads * prices.millionStoreReads
  );
}

function edgeRow(units: EdgeUnits): string[] {
  const name = `a player's request, ${units.hitShare * 100} % of them hits`;
  return [name, "", "", "", number(units.storeReads), "0", dollarsAMillionAtEdge(units).toFixed(2)];
}

function resultOf(rows: ReadonlyMap<RouteName, Counts>, unchanged: Counts, atEdge: readonly EdgeUnits[]): Measured {
  const limited = (Object.keys(mostRoundTrips) as RouteName[]).map((name): [string, Figure] => [
    figures.roundTrips(name),
    { value: rows.get(name)?.roundTrips ?? Number.NaN, unit: "" },
  ]);
  return {
    figures: {
      ...Object.fromEntries(limited),
      [figures.tableCalls]: { value: unchanged.roundTrips, unit: "" },
      [figures.storeRequests]: { value: unchanged.storeReads + unchanged.storeWrites, unit: "" },
    },
    table: {
      head: ["request", "round trips", "read units", "write units", "S3 GET", "S3 PUT, LIST", "$ a million"],
      rows: [...rows]
        .map(([name, counts]) => [
          labelOf(name),
          number(counts.roundTrips),
          number(counts.readUnits),
          number(counts.writeUnits),
          number(counts.storeReads),
          number(counts.storeWrites),
          dollarsAMillion(counts).toFixed(2),
        ])
        .concat(atEdge.map(edgeRow)),
    },
  };
}

function labelOf(name: RouteName): string {
  return `${routes[name].method} ${routes[name].path}`;
}
