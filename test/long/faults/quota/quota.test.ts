import { beforeAll, describe, expect, test } from "@jest/globals";
import type { Amount } from "../../../../functions/entities/project.ts";
import { functionEnvironment } from "../../../support/service/function-environment.ts";
import { startRecordedService } from "../../../support/service/recorded-service.ts";
import { duringTests } from "../../../support/service/suite.ts";
import { startRecordedStore } from "../../../support/store/store-recorder.ts";
import { inTurn } from "../in-turn.ts";
import { ledgersOf, shown, sum } from "./ledgers.ts";
import { type Ending, keyOf, type Operation, operations, type PreparedOperation, quota, sweep } from "./operations.ts";
import { type NamedRace, races } from "./races.ts";
import { type Disturbance, disturbing, type RequestKind } from "./requests.ts";

/*
 * The ledgers of what is stored (docs/decisions/0036-quota.md) under faults. Each operation that changes a ledger is run once to
 * see its requests to table and store. Then it is run again, in a new account, for each request and each way in which it can
 * fail, and for each request while another operation happens in between. At every moment the account's ledger is the sum
 * of its projects', no ledger passes its quota, and nothing is stored that is not counted. After the retry nothing is
 * counted twice but the manifests of attempts that failed, and after the sweep the ledger is what is stored.
 */
const store = duringTests(startRecordedStore);
const service = duringTests(() =>
  startRecordedService({
    env: {
      S3_ENDPOINT: store.endpoint,
      BUCKET_NAME: store.bucketName,
      BYTES_PER_PROJECT: String(quota.project.bytes),
      OBJECTS_PER_PROJECT: String(quota.project.objects),
      BYTES_PER_ACCOUNT: String(quota.account.bytes),
      OBJECTS_PER_ACCOUNT: String(quota.account.objects),
    },
  }),
);
let during: ReturnType<typeof disturbing>;

beforeAll(() => {
  const storeSettings = { S3_ENDPOINT: store.endpoint, BUCKET_NAME: store.bucketName };
  Object.assign(process.env, functionEnvironment(service), storeSettings);
  during = disturbing(service.recorder, store);
});

const maximumAttempts = 4;
const runsAtOnce = 8;

const namesOf = ({ owners, slugs }: PreparedOperation) => [...slugs, ...owners.map((owner) => keyOf(service, owner))];

/** How an operation goes without faults. */
interface Baseline {
  readonly requests: readonly RequestKind[];
  readonly counted: Amount;
}

async function usual(operation: Operation): Promise<Baseline> {
  const prepared = await operation.prepare(service);
  let ending: Ending = "failed";
  const requests = await during(namesOf(prepared), undefined, async () => {
    ending = await prepared.act(0);
  });
  expect({ name: operation.name, ending }).toEqual({ name: operation.name, ending: operation.ending });
  const { counted, wrong } = await ledgersOf(service, prepared);
  expect(wrong).toEqual([]);
  return { requests, counted };
}

/** Runs an operation under a disturbance, again until it ends, and then the sweep; returns what is wrong. */
async function complaints(operation: Operation, { counted }: Baseline, disturbance: Disturbance): Promise<string[]> {
  const prepared = await operation.prepare(service);
  let ending: Ending = "failed";
  await during(namesOf(prepared), disturbance, async () => {
    ending = await prepared.act(0);
  });
  const { wrong } = await ledgersOf(service, prepared);
  const { last, failures } = await again(prepared, ending);
  if (last !== operation.ending) wrong.push(`it ends as ${last}`);
  const retried = await ledgersOf(service, prepared);
  const surplus = { bytes: retried.counted.bytes - counted.bytes, objects: retried.counted.objects - counted.objects };
  if (!isUpTo(failures, prepared.leftovers, surplus)) wrong.push(`${shown(surplus)} too much, ${failures} failures`);
  return [...wrong, ...retried.wrong, ...(await aboutSweep(prepared))];
}

/** Tries it again as long as it fails. */
async function again({ act }: PreparedOperation, ending: Ending): Promise<{ last: Ending; failures: number }> {
  let last = ending;
  let failures = 0;
  for (; last === "failed" && failures < maximumAttempts; failures += 1) last = await act(failures + 1);
  return { last, failures };
}

function isUpTo(times: number, each: Amount, amount: Amount): boolean {
  const counts = Array.from({ length: times + 1 }, (_, count) => count);
  return counts.some((count) => amount.bytes === count * each.bytes && amount.objects === count * each.objects);
}

/** After the sweep what is counted is what is stored, and what open releases lack. */
async function aboutSweep(prepared: PreparedOperation): Promise<string[]> {
  for (const slug of prepared.isSwept ? [] : prepared.slugs)
    for (let attempt = 1; (await sweep(slug, attempt)) === "failed" && attempt < maximumAttempts; ) attempt += 1;
  const { counted, stored, wrong } = await ledgersOf(service, prepared);
  const kept = sum([stored, prepared.lacking]);
  const isExact = counted.bytes === kept.bytes && counted.objects === kept.objects;
  return isExact ? wrong : [...wrong, `after the sweep ${shown(counted)} are counted and ${shown(kept)} kept`];
}

const ways: Readonly<Record<RequestKind, readonly Omit<Disturbance, "at">[]>> = {
  read: [{ kind: "before", killed: true }],
  write: [{ kind: "before" }, { kind: "after", times: 2 }, { kind: "after", killed: true }],
  delete: [{ kind: "after" }, { kind: "before", killed: true }],
};

/** Reads in a row leave the same, and so do the DELETE requests of a sweep: the first of them is enough. */
function runsOf(requests: readonly RequestKind[]): Disturbance[] {
  return requests.flatMap((kind, at) => {
    const isRepeated = kind !== "write" && requests[at - 1] === kind;
    return isRepeated ? [] : ways[kind].map((way) => ({ ...way, at }));
  });
}

describe("wherever a request fails, or is the last one of a process,", () => {
  test.each(operations.map((operation) => [operation.name, operation] as const))("%s", async (_, operation) => {
    const known = await usual(operation);
    const runs = runsOf(known.requests);
    expect(runs.length).toBeGreaterThanOrEqual(operation.ending === "refused" ? 1 : 4);
    const found = await inTurn(runsAtOnce, runs, async (disturbance) => {
      const wrong = await complaints(operation, known, disturbance).catch((error) => [String(error)]);
      return wrong.map((line) => `${JSON.stringify(disturbance)}: ${line}`);
    });
    expect(found.flat()).toEqual([]);
  });
});

/** The requests of the second opening that count the manifest, store it and open the release: one loses its response. */
const writesOfOpening = [4, 5, 6];

/** Runs a race in which the first operation waits at a request; returns what is wrong. */
async function raceComplaints(race: NamedRace, at: number): Promise<string[] | undefined> {
  const { first, second, secondSlug, lackingAfter } = await race.prepare(service);
  const names = first.slugs.filter((slug) => slug !== secondSlug);
  const lost = { at: writesOfOpening[at % writesOfOpening.length] as number, kind: "after" } as const;
  let ended: Ending | undefined;
  const until = async () => {
    const run = async () => {
      ended = await second();
    };
    await (secondSlug === undefined ? run() : during([secondSlug], lost, run));
  };
  let ending: Ending = "failed";
  await during(names, { at, kind: "held", until }, async () => {
    ending = await first.act(0);
  });
  // The first operation has fewer requests than that.
  if (ended === undefined) return undefined;
  const { wrong } = await ledgersOf(service, first);
  const { last } = await again(first, ending);
  const lacking = lackingAfter(last, ended);
  if (lacking === undefined) return [...wrong, `they end as ${last} and ${ended}`];
  const { isSwept: _, ...prepared } = { ...first, lacking };
  return [...wrong, ...(await aboutSweep(prepared))];
}

const mostRequests = 24;

describe("wherever one waits for the other,", () => {
  test.each(races.map((race) => [race.name, race] as const))("%s", async (_, race) => {
    const places = Array.from({ length: mostRequests }, (__, at) => at);
    let reached = 0;
    const found = await inTurn(runsAtOnce, places, async (at) => {
      if (at > reached + runsAtOnce) return [];
      const wrong = await raceComplaints(race, at).catch((error) => [String(error)]);
      if (wrong !== undefined) reached = Math.max(reached, at);
      return (wrong ?? []).map((line) => `at ${at}: ${line}`);
    });
    expect(found.flat()).toEqual([]);
    expect(reached).toBeGreaterThanOrEqual(3);
  });
});
