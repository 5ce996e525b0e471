import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RouteName, routes } from "../../../contract/api/routes.ts";
import { openApiDocument } from "../../../contract/documents/openapi.ts";
import { prices } from "../../../infra/prices.ts";
import { startJobIssuers } from "../../../test/support/identity/jobs.ts";
import { actorsOf } from "../../../test/support/service/actors.ts";
import { perform } from "../../../test/support/service/operations.ts";
import { startRecordedService } from "../../../test/support/service/recorded-service.ts";
import type { TestService } from "../../../test/support/service/service.ts";
import { startRecordedStore } from "../../../test/support/store/store-recorder.ts";
import {
  capacityUnits,
  type RecordedCall,
  sequentialRoundTrips,
} from "../../../test/support/table/dynamodb-recorder.ts";
import { startSwaggerClient } from "../../clients/swagger-client.ts";
import { type Area, type Effort, type Figure, type Measurement, number } from "../area.ts";
import { countEdgeUnits, type EdgeUnits } from "../parts/edge-visits.ts";
import { makeFolder } from "../parts/game-folder.ts";
import { installSvc } from "../parts/installed-cli.ts";
import { type JobExchanges, prepareJobExchanges } from "../parts/job-exchanges.ts";
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
  firstExchange: "round trips of a function's first exchange of a CI job's identity, its issuer's keys too",
  exchange: "round trips of the exchange of a CI job's identity, once its issuer's keys are known",
  tableCalls: "an unchanged `svc publish` of 200 files: calls to DynamoDB",
  storeRequests: "an unchanged `svc publish` of 200 files: requests to the store",
  document: "the API's OpenAPI document, before gzip",
  resolved: "processor time in which swagger-client follows that document's references",
};

/** The calls to DynamoDB and S3 of every request, and what they cost. */
export const area: Area = {
  name: "cost",
  title: "What a request costs in the cloud",
  method: `Counted on the local service, whose engine tells what DynamoDB charges for each call; round trips are those in sequence.
Those of an exchange are also the requests to the issuer of the job.
Dollars are list prices of us-east-1 on demand for API Gateway, Lambda (arm64, 1 GB, ${assumed.millisecondsAnInvocation} ms an invocation and
${assumed.millisecondsARoundTrip} ms a round trip assumed), DynamoDB and S3 together, without logs and transfer.
A player's request is counted on the model of CloudFront: two calls of viewer functions, and on a miss two of Lambda@Edge (512 MB,
${assumed.millisecondsAtTheOrigin} ms each assumed). swagger-client is given the document's URL in a process of its own: the least of three runs.`,
  decides: [figures.roundTrips("getMe")],
  targets: {
    ...Object.fromEntries(
      Object.entries(mostRoundTrips).map(([name, atMost]) => [figures.roundTrips(name as RouteName), { atMost }]),
    ),
    [figures.exchange]: {
      atMost: 2,
      reasonNotMet:
        "the response names whose project it is, so that the job's log does: a read of the owner, whom the project names",
    },
    [figures.tableCalls]: { atMost: 2 },
    [figures.storeRequests]: { atMost: 0 },
    // 150 kB when it had 60 operations; it has 71.
    [figures.document]: { atMost: 178 },
    [figures.resolved]: {
      atMost: 2,
      reasonNotMet:
        "it copies the schema of a problem into each refusal of each operation; without any refusal it takes 0.7 times as long",
    },
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

async function measure(_: Effort): Promise<Measurement> {
  const [store, issuers] = [await startRecordedStore(), await startJobIssuers()];
  const service = await startRecordedService({ env: { S3_ENDPOINT: store.endpoint, ...issuers.env } });
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
    const exchanges = await countExchanges(await prepareJobExchanges(service.api, actors, issuers), count);
    const unchanged = await countUnchangedPublish({ ...service, actors }, count);
    const resolvedSeconds = await secondsToResolve(`${service.api}/openapi.json`);
    return resultOf(rows, { exchanges, unchanged, resolvedSeconds, atEdge: await countEdgeUnits(hitShares) });
  } finally {
    await Promise.all([service, store, issuers].map((part) => part.stop()));
  }
}

async function send(service: TestService, request: ApiRequest): Promise<void> {
  const caller =
    request.credential === undefined ? actorsOf(service).anonymous : actorsOf(service).bearer(request.credential);
  const { status } = await perform(caller, request);
  if (status >= 400) throw new Error(`${request.method} ${request.path} responded with ${status}`);
}

/** Those of the first exchange, for which the function fetches the issuer's keys, and of the next one. */
async function countExchanges(
  { exchange, issuerRequests }: JobExchanges,
  count: (action: () => Promise<unknown>) => Promise<Counts>,
): Promise<Counts[]> {
  const counts: Counts[] = [];
  for (let before = issuerRequests(); counts.length < 2; before = issuerRequests()) {
    const counted = await count(exchange);
    counts.push({ ...counted, roundTrips: counted.roundTrips + issuerRequests() - before });
  }
  return counts;
}

/** What else the machine does makes it only longer. */
async function secondsToResolve(url: string): Promise<number> {
  const seconds: number[] = [];
  while (seconds.length < 3) {
    const client = await startSwaggerClient(url);
    seconds.push(client.resolved.seconds);
    await client.stop();
  }
  return Math.min(...seconds);
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

interface OtherMeasurements {
  readonly exchanges: readonly Counts[];
  readonly unchanged: Counts;
  readonly resolvedSeconds: number;
  readonly atEdge: readonly EdgeUnits[];
}

function resultOf(
  rows: ReadonlyMap<RouteName, Counts>,
  { exchanges, unchanged, resolvedSeconds, atEdge }: OtherMeasurements,
): Measurement {
  const [first, next] = exchanges.map(({ roundTrips }) => roundTrips);
  const limited = (Object.keys(mostRoundTrips) as RouteName[]).map((name): [string, Figure] => [
    figures.roundTrips(name),
    { value: rows.get(name)?.roundTrips ?? Number.NaN, unit: "" },
  ]);
  return {
    figures: {
      ...Object.fromEntries(limited),
      [figures.firstExchange]: { value: first ?? Number.NaN, unit: "" },
      [figures.exchange]: { value: next ?? Number.NaN, unit: "" },
      [figures.tableCalls]: { value: unchanged.roundTrips, unit: "" },
      [figures.storeRequests]: { value: unchanged.storeReads + unchanged.storeWrites, unit: "" },
      [figures.document]: { value: JSON.stringify(openApiDocument()).length / 1_000, unit: "kB" },
      [figures.resolved]: { value: resolvedSeconds, unit: "s" },
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
