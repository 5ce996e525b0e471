import { expect, test } from "@jest/globals";
import { throttleOf } from "../../infra/api/throttling.ts";
import { readConfiguration } from "../configuration.ts";
import { throttle } from "./throttle.ts";

const requestsPerSecond = 1_000;
const { rateLimit, burstLimit } = throttleOf("getMe", { requestsPerSecond });

function countLetThrough(letsThrough: () => boolean, requests: number): number {
  return Array.from({ length: requests }, letsThrough).filter(Boolean).length;
}

test("a route lets its burst through at once, and then what its rate is", () => {
  let milliseconds = 0;
  const lets = throttle(requestsPerSecond, () => milliseconds);
  const getMe = () => lets("getMe");
  expect(rateLimit).toBeGreaterThan(9);
  expect(countLetThrough(getMe, 1_000)).toBe(burstLimit);
  milliseconds += 1_000;
  expect(countLetThrough(getMe, 1_000)).toBe(Math.floor(rateLimit));
  milliseconds += 3_600_000;
  expect(countLetThrough(getMe, 1_000)).toBe(burstLimit);
});

test("requests that are refused do not make the wait longer", () => {
  let milliseconds = 0;
  const lets = throttle(requestsPerSecond, () => milliseconds);
  countLetThrough(() => lets("getMe"), 10_000);
  milliseconds += 900 / rateLimit;
  expect(lets("getMe")).toBe(false);
  milliseconds += 200 / rateLimit;
  expect(lets("getMe")).toBe(true);
});

test("a route that is flooded takes nothing from another", () => {
  const lets = throttle(requestsPerSecond, () => 0);
  countLetThrough(() => lets("getMe"), 1_000);
  expect(lets("getMe")).toBe(false);
  expect(countLetThrough(() => lets("revokeToken"), 1_000)).toBe(
    throttleOf("revokeToken", { requestsPerSecond }).burstLimit,
  );
});

test.each(["0", "-1", "many", "Infinity"])("SVC_REQUESTS_PER_SECOND cannot be %s", (value) => {
  const message = `SVC_REQUESTS_PER_SECOND must be a number from 1 to 1000000, not "${value}"`;
  expect(() => readConfiguration({ SVC_REQUESTS_PER_SECOND: value })).toThrow(message);
});

test("without SVC_REQUESTS_PER_SECOND nothing is refused", () => {
  expect(readConfiguration({})).toMatchObject({ requestsPerSecond: undefined });
  expect(readConfiguration({ SVC_REQUESTS_PER_SECOND: "1.5" })).toMatchObject({ requestsPerSecond: 1.5 });
});
