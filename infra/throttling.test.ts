import { expect, test } from "@jest/globals";
import { type RouteName, routes } from "../contract/api/routes.ts";
import { functionOf, ofType, synthesise } from "../test/support/synthesis.ts";
import { schedules } from "./schedules.ts";
import { readStage } from "./stage.ts";
import { stages } from "./stages.ts";
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
  expect(throttles.reduce((total, { burstLimit }) => total + burstLimit, 0)).toBeLessThanOrEqual(2 * requestsPerSecond);
  for (const { rateLimit, burstLimit } of throttles) {
    expect(rateLimit).toBeGreaterThan(0);
    expect(burstLimit).toBeGreaterThanOrEqual(1);
  }
});

test("the share of reading files is ten times that of another route, and that of polling five times", () => {
  const stage = stageWith({ requestsPerSecond: 1_000 });
  // As docs/decisions/0021-floods.md says.
  expect(throttleOf("getMe", stage).rateLimit).toBeCloseTo(1_000 / (names.length + 13), 1);
  expect(throttleOf("getFile", stage).rateLimit / throttleOf("getMe", stage).rateLimit).toBeCloseTo(10, 1);
  expect(throttleOf("exchangeGrant", stage).rateLimit / throttleOf("getMe", stage).rateLimit).toBeCloseTo(5, 1);
});

test("signing in and revoking have reserved executions, reading files cannot use all, and notices are delivered by one", () => {
  const production = synthesise("production");
  const reserved = names.flatMap((name) => {
    const { ReservedConcurrentExecutions: count } = functionOf(production, name)[1].Properties;
    return count === undefined ? [] : [[name, count]];
  });
  expect(Object.fromEntries(reserved)).toEqual({ createSession: 50, revokeToken: 50, getFile: 399 });
  const delivery = ofType(production, "AWS::Lambda::Function").filter(
    ({ Properties }) => Properties.FunctionName === "svc-production-deliver-notices",
  );
  expect(delivery).toMatchObject([{ Properties: { ReservedConcurrentExecutions: 1 } }]);
});

test.each([10, 199, 200, 1_000, 50_000])(
  "with a quota of %i executions at least 100 stay unreserved, or none is reserved",
  (concurrentExecutions) => {
    const stage = stageWith({ concurrentExecutions });
    const reserved = [...names, ...schedules]
      .map((name) => reservedConcurrencyOf(name, stage) ?? 0)
      .reduce((sum, count) => sum + count, 0);
    if (concurrentExecutions < 200) expect(reserved).toBe(0);
    else expect(concurrentExecutions - reserved).toBeGreaterThanOrEqual(100);
  },
);
