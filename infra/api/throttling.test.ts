import "../../programs/stack-options.ts";
import { readFileSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { type RouteName, routes } from "../../test/support/routes.ts";
import { functionOf, ofType, synthesise } from "../../test/support/synthesis.ts";
import { schedules } from "../background/schedules.ts";
import { readStage } from "../settings/stage.ts";
import { stages } from "../stages.ts";
import { reservedConcurrencyOf, throttleOf } from "./throttling.ts";

const names = Object.keys(routes) as RouteName[];

function stageWith(changes: object) {
  return readStage("staging", { staging: { ...stages["staging"], ...changes } });
}

test.each([100, 1_000, 10_000])("all routes together let through %i requests a second", (requestsPerSecond) => {
  const throttles = names.map((name) => throttleOf(name, stageWith({ requestsPerSecond })));
  const sum = throttles.reduce((total, { rateLimit }) => total + rateLimit, 0);
  expect(sum).toBeLessThanOrEqual(requestsPerSecond);
  expect(sum).toBeGreaterThan(requestsPerSecond * 0.99);
  // A route whose share is less than half a request a second can be given no smaller burst than one.
  const smallest = throttles.filter(({ rateLimit }) => rateLimit < 0.5).length;
  const bursts = throttles.reduce((total, { burstLimit }) => total + burstLimit, 0);
  expect(bursts).toBeLessThanOrEqual(2 * requestsPerSecond + smallest);
  for (const { rateLimit, burstLimit } of throttles) {
    expect(rateLimit).toBeGreaterThan(0);
    expect(burstLimit).toBeGreaterThanOrEqual(1);
  }
});

const shareOf = (name: RouteName, requestsPerSecond: number) =>
  throttleOf(name, stageWith({ requestsPerSecond })).rateLimit;

test("the documents have the shares of today's routes", () => {
  const floods = readFileSync("docs/decisions/0021-floods.md", "utf8");
  const rounded = (name: RouteName, rate: number) => Math.round(shareOf(name, rate));
  const millions = (rate: number) => (shareOf("requestDeviceCode", rate) * 86_400) / 1e6;
  for (const row of [
    `such as publishing or revoking: 429 | ${rounded("revokeToken", 1_000)} requests a second | ${rounded("revokeToken", 5_000)} |`,
    `| stop logins by polling | ${rounded("exchangeGrant", 1_000)} | ${rounded("exchangeGrant", 5_000)} |`,
    `| stop reading of files | ${rounded("getFile", 1_000)} | ${rounded("getFile", 5_000)} |`,
    `| ${millions(1_000).toFixed(1)} million, $${Math.round(millions(1_000) * 2.92)} | ${millions(5_000).toFixed(1)} million, $${Math.round(millions(5_000) * 2.92)} |`,
    `The table is computed with ${names.length} routes`,
  ])
    expect(floods.replaceAll("\n", " ")).toContain(row);
  expect(readFileSync("docs/operations/looking.md", "utf8")).toContain(
    `| about ${rounded("revokeToken", 1_000)} a second on one route, ${rounded("getFile", 1_000)} files a second |`,
  );
});

test("signing in and revoking have reserved executions, reading files cannot use all, and notices are delivered by one", () => {
  const production = synthesise("production");
  const reserved = names.flatMap((name) => {
    const { ReservedConcurrentExecutions: count } = functionOf(production, name)[1].Properties;
    return count === undefined ? [] : [[name, count]];
  });
  expect(Object.fromEntries(reserved)).toEqual({ createSession: 50, revokeToken: 50, getFile: 398 });
  const delivery = ofType(production, "AWS::Lambda::Function").filter(
    ({ Properties }) => Properties.FunctionName === "svc-production-deliver-notices",
  );
  expect(delivery).toMatchObject([{ Properties: { ReservedConcurrentExecutions: 1 } }]);
});

test.each([10, 199, 200, 1_000, 50_000])(
  "with a quota of %i executions at least 100 stay unreserved, or none is reserved",
  (concurrentExecutions) => {
    const stage = stageWith({ concurrentExecutions });
    const reserved = [...names, ...schedules()]
      .map((name) => reservedConcurrencyOf(name, stage) ?? 0)
      .reduce((sum, count) => sum + count, 0);
    if (concurrentExecutions < 200) expect(reserved).toBe(0);
    else expect(concurrentExecutions - reserved).toBeGreaterThanOrEqual(100);
  },
);

/** Two stages with these quotas, of which the first is read. */
function readBeside(first: object, second: object) {
  const base = stages["staging"];
  return () => readStage("one", { one: { ...base, ...first }, two: { ...base, ...second } });
}

test.each([
  [1_000, 1_000, "reserve 1000 of its 1000"],
  [500, 1_000, undefined],
  [199, 1_000, undefined],
  [1_000, 199, undefined],
  [200, 200, "reserve 200 of its 200"],
  [10, 10, undefined],
])("stages of one account with %i and %i executions may reserve what it has", (first, second, sentence) => {
  const read = readBeside({ concurrentExecutions: first }, { concurrentExecutions: second });
  if (sentence === undefined) expect(read).not.toThrow();
  else expect(read).toThrow(sentence);
});

test.each([
  ["account", { account: "999999999999" }],
  ["region", { region: "eu-west-3" }],
])("a stage of another %s has a quota of its own", (_, other) => {
  const concurrentExecutions = 1_000;
  expect(readBeside({ concurrentExecutions }, { concurrentExecutions, ...other })).not.toThrow();
});
