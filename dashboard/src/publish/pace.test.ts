import { expect, test } from "@jest/globals";
import { Pace, secondsLeft } from "./pace.ts";

test("the pace is that of the last seconds, and unknown at the beginning", () => {
  const pace = new Pace();
  pace.add(0, 0);
  pace.add(1_000, 1_000);
  expect(pace.bytesPerSecond()).toBeUndefined();
  pace.add(2_000, 2_000);
  expect(pace.bytesPerSecond()).toBe(1_000);
  pace.add(52_000, 20_000);
  pace.add(92_000, 22_000);
  expect(pace.bytesPerSecond()).toBe(20_000);
});

test("bytes of eight seconds ago count, older ones do not", () => {
  const pace = new Pace();
  pace.add(0, 0);
  pace.add(8_000, 8_000);
  expect(pace.bytesPerSecond()).toBe(1_000);
  pace.add(8_000, 8_001);
  expect(pace.bytesPerSecond()).toBeUndefined();
});

test("an upload that begins again has no pace until it is further than before", () => {
  const pace = new Pace();
  pace.add(5_000, 0);
  pace.add(0, 3_000);
  expect(pace.bytesPerSecond()).toBeUndefined();
  pace.add(5_000, 6_000);
  expect(pace.bytesPerSecond()).toBeUndefined();
});

test("the time that is left is that of the bytes that are left", () => {
  expect(secondsLeft({ bytes: 2_000, totalBytes: 10_000, bytesPerSecond: 1_000 })).toBe(8);
});
