import { beforeAll, expect, test } from "@jest/globals";
import { startService } from "../../support/service/service.ts";
import { duringTests } from "../../support/service/suite.ts";
import { startRecordedStore } from "../../support/store/store-recorder.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem } from "../../support/table/stored.ts";
import { inTurn } from "./in-turn.ts";
import { inStore, type StoreStrike, storeStrikes } from "./injection.ts";
import { type Scenario, scenarios } from "./scenarios.ts";
import { firstRunsAtOnce, type Hit, Trial } from "./trial.ts";

/*
 * The same as with DynamoDB (dynamodb-faults.test.ts), for every request to the object store. An object under its hash
 * that no release names does no harm, so what is compared is the table.
 */
const store = duringTests(startRecordedStore);
const service = duringTests(() => startService({ env: { S3_ENDPOINT: store.endpoint } }));
let trial: Trial<StoreStrike>;

beforeAll(() => {
  trial = new Trial(service, inStore(store));
});

const runsAtOnce = 12;

async function hits(): Promise<{ scenario: Scenario; hit: Hit<StoreStrike> }[]> {
  const usual = await inTurn(firstRunsAtOnce, scenarios, async (scenario) => ({
    scenario,
    ...(await trial.usual(scenario)),
  }));
  const turns = new Map<string, number>();
  return usual.flatMap(({ scenario, places }) =>
    places.flatMap((place) => {
      const turn = turns.get(place.operation) ?? 0;
      turns.set(place.operation, turn + 1);
      return storeStrikes(turn).map((strike) => ({ scenario, hit: { ...strike, ...place } }));
    }),
  );
}

test("publishing, previewing, comparing, scheduling and visiting use the store in ten routes", async () => {
  const names = (await hits()).map(({ scenario }) => scenario.name.split(" ")[0]);
  const meeting = [
    "compareRelease",
    "continueUpload",
    "createRelease",
    "createUploads",
    "getFile",
    "listFiles",
    "openPreview",
    "publishRelease",
    "scheduleRelease",
    "unpackFiles",
  ];
  expect([...new Set(names)].sort()).toEqual(meeting);
});

test("for each request to the store and each fault, the operation happens completely or not at all, says so, and succeeds later", async () => {
  const found = await inTurn(runsAtOnce, await hits(), async ({ scenario, hit }) => {
    const wrong = await trial.complaint(scenario, hit).catch(String);
    return wrong && `${scenario.name}, ${hit.operation} ${hit.nth} ${hit.name}: ${wrong}`;
  });
  expect(found.filter((line) => line !== undefined)).toEqual([]);
});

test("after these tests the table keeps its invariants", async () => {
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});
