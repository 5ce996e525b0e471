import { beforeAll, describe, expect, test } from "@jest/globals";
import { useRecordedService } from "../../support/service/suite.ts";
import type { Fault } from "../../support/table/dynamodb-recorder.ts";
import { brokenInvariants } from "../../support/table/invariants.ts";
import { everyItem } from "../../support/table/stored.ts";
import { inTurn } from "./in-turn.ts";
import { inTable, tableStrikes } from "./injection.ts";
import { firstUse, type Scenario, scenarios } from "./scenarios.ts";
import { firstRunsAtOnce, type Hit, isHonestRefusal, isSame, Trial } from "./trial.ts";

/*
 * Each operation is run once to see which calls it makes to DynamoDB. Then it is run again on a new account, for each
 * of these calls and each fault that the call can meet. In every case it has happened completely or not at all, the
 * response claims nothing that is not true, and the same request then succeeds. A new call, route or path is tested
 * automatically.
 */
const service = useRecordedService({});
let trial: Trial<Fault>;

beforeAll(() => {
  trial = new Trial(service, inTable(service.recorder));
});

interface Run {
  readonly scenario: Scenario;
  readonly hit: Hit<Fault>;
}

/** Every scenario with the faults of every place. */
async function everyRun(): Promise<Run[]> {
  const runs: Run[] = [];
  const turns = new Map<string, number>();
  for (const scenario of scenarios)
    for (const place of (await trial.usual(scenario)).places) {
      const turn = turns.get(place.operation) ?? 0;
      turns.set(place.operation, turn + 1);
      runs.push(...tableStrikes(place.operation, turn).map((strike) => ({ scenario, hit: { ...strike, ...place } })));
    }
  return runs;
}

const runsAtOnce = 24;
/** Limit for more than a thousand runs, many of which wait for the SDK's pauses. */
const timeoutMilliseconds = 400_000;

async function complaintsAbout(filter: (run: Run) => boolean): Promise<string[]> {
  const runs = (await everyRun()).filter(filter);
  const found = await inTurn(runsAtOnce, runs, async ({ scenario, hit }) => {
    const wrong = await trial.complaint(scenario, hit).catch(String);
    return wrong && `${scenario.name}, ${hit.operation} ${hit.nth} ${hit.name}: ${wrong}`;
  });
  expect(runs.length).toBeGreaterThan(scenarios.length);
  return found.filter((line) => line !== undefined).sort();
}

describe("for each call to DynamoDB and each fault,", () => {
  test("without a fault, each operation succeeds", async () => {
    const runs = await inTurn(firstRunsAtOnce, scenarios, (scenario) => trial.usual(scenario));
    expect(runs.filter(({ status }) => status >= 400)).toEqual([]);
  });

  // First, because permanent faults use up the SDK's budget of retries.
  test(
    "of one try, the operation succeeds and has happened once",
    async () => {
      expect(await complaintsAbout(({ hit }) => !hit.forGood)).toEqual([]);
    },
    timeoutMilliseconds,
  );

  test(
    "of all tries, the operation happens completely or not at all, says so, and succeeds later",
    async () => {
      expect(await complaintsAbout(({ hit }) => hit.forGood)).toEqual([]);
    },
    timeoutMilliseconds,
  );

  test("a token's first use is recorded with its event or not at all, and the request still gets its response", async () => {
    const { before, after, places } = await trial.usual(firstUse);
    const hits = places.flatMap((place) => tableStrikes(place.operation).map((strike) => ({ ...strike, ...place })));
    const found = await inTurn(runsAtOnce, hits, async (hit) => {
      const { response, state } = await trial.disturbed(firstUse, await firstUse.prepare(service), hit);
      const isWhole = isSame(state, after) || isSame(state, before);
      const isRefused = hit.operation === "BatchGetItem" && hit.forGood && isHonestRefusal(response);
      return isWhole && (response.status === 200 || isRefused) ? undefined : `${hit.name}: ${response.status} ${state}`;
    });
    expect(found.filter((line) => line !== undefined)).toEqual([]);
  });
});

test("after these tests the table keeps its invariants", async () => {
  expect(brokenInvariants(await everyItem(service))).toEqual([]);
});
