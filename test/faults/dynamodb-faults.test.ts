import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { stopWatched } from "../security/watched-stage.ts";
import type { Answer } from "../support/checked-request.ts";
import { type DynamodbRecorder, startRecordedStage } from "../support/dynamodb-recorder.ts";
import { perform } from "../support/operations.ts";
import type { TestStage } from "../support/stage.ts";
import { inTurn } from "./in-turn.ts";
import { injector, lateMilliseconds, type Place, placesOf, type Strike, strikesOn } from "./injection.ts";
import { firstUse, type Prepared, type Scenario, scenarios } from "./scenarios.ts";
import { difference, snapshot } from "./snapshot.ts";

/*
 * Each operation is run once to see which calls it makes to DynamoDB. Then it is run again for each of these calls and
 * each fault that can meet it, on a new account. Whatever happens, it has happened whole or not at all, the answer does
 * not claim what is not so, and the same request then succeeds. A new call, route or path is covered by being there.
 */
let stage: TestStage & { recorder: DynamodbRecorder };
let faults: ReturnType<typeof injector>;
const usual = new Map<Scenario, Usual>();

beforeAll(async () => {
  stage = await startRecordedStage();
  faults = injector(stage.recorder);
  for (const scenario of [...scenarios, firstUse]) usual.set(scenario, await undisturbed(scenario));
});

afterAll(() => stage && stopWatched(stage));

/** How an operation goes when nothing is wrong. */
interface Usual {
  readonly before: string[];
  readonly after: string[];
  readonly status: number;
  readonly places: Place[];
}

async function undisturbed(scenario: Scenario): Promise<Usual> {
  const prepared = await scenario.prepare(stage);
  const before = await snapshot(stage, prepared.partitions);
  let answer: Answer | undefined;
  const calls = await faults.during(prepared.partitions, undefined, async () => {
    answer = await perform(prepared.caller, prepared.operation);
  });
  const after = await snapshot(stage, prepared.partitions);
  return { before, after, status: answer?.status ?? 0, places: placesOf(calls) };
}

/** Runs an operation under a fault: what was answered and what is stored afterwards. */
async function disturbed(prepared: Prepared, strike: Strike & Place) {
  const { caller, operation, partitions } = prepared;
  let answer: Answer | undefined;
  await faults.during(partitions, strike, async () => {
    answer = await perform(caller, operation);
    if (strike.name === "late") await delay(lateMilliseconds);
  });
  return { answer: answer as Answer, state: await snapshot(stage, partitions) };
}

type Outcome = Awaited<ReturnType<typeof disturbed>>;

/** What is wrong with how an operation went under a fault; undefined: nothing. */
async function complaint(scenario: Scenario, strike: Strike & Place): Promise<string | undefined> {
  const expected = usual.get(scenario) as Usual;
  const prepared = await scenario.prepare(stage);
  const outcome = await disturbed(prepared, strike);
  return aboutAnswer(expected, strike, outcome) ?? (await aboutRetry(scenario, prepared, outcome));
}

function aboutAnswer({ before, after, status }: Usual, strike: Strike, { answer, state }: Outcome) {
  const happened = isSame(state, after);
  if (!happened && !isSame(state, before)) return `it happened in part:\n${difference(state, after)}`;
  if (answer.status === status) return happened ? undefined : `${status}, though it did not happen`;
  if (!strike.forGood) return `${answer.status}, though another attempt would have helped`;
  if (!isHonestRefusal(answer)) return `${answer.status} ${JSON.stringify(answer.body)}`;
  const isRead = isSame(before, after);
  return happened && !isRead && !strike.leavesDoubt ? "503, though it happened and nothing was in doubt" : undefined;
}

function isHonestRefusal({ status, headers, body }: Answer): boolean {
  return status === 503 && body.code === "temporarily_unavailable" && Number(headers.get("retry-after")) > 0;
}

async function aboutRetry(scenario: Scenario, prepared: Prepared, { answer, state }: Outcome) {
  const { before, after, status } = usual.get(scenario) as Usual;
  if (answer.status === status) return undefined;
  const happened = isSame(state, after) && !isSame(before, after);
  const { status: second } = await perform(prepared.caller, prepared.operation);
  if (second !== (happened ? (scenario.secondAnswer ?? status) : status)) return `the retry answered ${second}`;
  if (happened && scenario.hasTwoEffects) return undefined;
  const afterRetry = await snapshot(stage, prepared.partitions);
  return isSame(afterRetry, after) ? undefined : `after the retry:\n${difference(afterRetry, after)}`;
}

function isSame(a: string[], b: string[]): boolean {
  return a.join("\n") === b.join("\n");
}

/** Every fault at every place of a scenario that the filter lets through. */
function strikes(scenario: Scenario, filter: (strike: Strike) => boolean) {
  const { places } = usual.get(scenario) as Usual;
  return places.flatMap((place) =>
    strikesOn(place.operation)
      .filter(filter)
      .map((strike) => ({ scenario, ...strike, ...place })),
  );
}

const runsAtOnce = 24;

async function complaintsAbout(filter: (strike: Strike) => boolean): Promise<string[]> {
  const all = scenarios.flatMap((scenario) => strikes(scenario, filter));
  const found = await inTurn(runsAtOnce, all, async ({ scenario, ...strike }) => {
    const wrong = await complaint(scenario, strike).catch(String);
    return wrong && `${scenario.name}, ${strike.operation} ${strike.nth} ${strike.name}: ${wrong}`;
  });
  expect(all.length).toBeGreaterThan(scenarios.length);
  return found.filter((line) => line !== undefined).sort();
}

describe("whatever call to DynamoDB meets whatever fault,", () => {
  test("the operations are the usual ones to begin with", () => {
    const refused = scenarios.filter((scenario) => (usual.get(scenario)?.status ?? 0) >= 400);
    expect(refused.map(({ name }) => name)).toEqual([]);
  });

  // First: where faults do not end, the SDK's budget of retries is soon spent.
  test("once, the operation succeeds and has happened once", async () => {
    expect(await complaintsAbout(({ forGood }) => !forGood)).toEqual([]);
  });

  test("and goes on, the operation happens whole or not at all, says so, and succeeds later", async () => {
    expect(await complaintsAbout(({ forGood }) => forGood)).toEqual([]);
  });

  test("a token's first use is noted with its event or not at all, and keeps nobody waiting for an answer", async () => {
    const { after, before } = usual.get(firstUse) as Usual;
    const found = await inTurn(
      runsAtOnce,
      strikes(firstUse, () => true),
      async ({ scenario, ...strike }) => {
        const prepared = await scenario.prepare(stage);
        const { answer, state } = await disturbed(prepared, strike);
        const isWhole = isSame(state, after) || isSame(state, before);
        const isAnswered = strike.operation === "BatchGetItem" ? isHonestRefusal(answer) : answer.status === 200;
        return isWhole && (isAnswered || answer.status === 200)
          ? undefined
          : `${strike.name}: ${answer.status} ${state}`;
      },
    );
    expect(found.filter((line) => line !== undefined)).toEqual([]);
  });
});
