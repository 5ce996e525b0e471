import { expect, test } from "@jest/globals";
import { summaryOf } from "./telemetry-summary.ts";
import { verdictOf } from "./verdict.ts";

const repeated = (count: number, duration: number) => Array.from({ length: count }, () => duration);

/** The verdict on frames that took these times in milliseconds. */
function judge(...durations: readonly number[][]) {
  const summary = summaryOf([{ type: "frames", at: 0, durations: durations.flat() }]);
  if (summary === undefined) throw new Error("no frames");
  const { word, rating, reasons } = verdictOf(summary);
  return [word, rating, ...reasons.map(({ text }) => text)];
}

const minute = repeated(3_600, 1_000 / 60);

test.each([
  [
    "a minute of 60 Hz",
    [minute],
    ["Smooth", "smooth", "60 fps on average", "0 hitches a minute", "0 % of the time above 33 ms"],
  ],
  [
    "a display of 120 Hz",
    [repeated(1_200, 1_000 / 120)],
    ["Smooth", "smooth", "120 fps on average", "0 hitches a minute", "0 % of the time above 33 ms"],
  ],
  [
    "a hitch in a minute",
    [minute, [60]],
    ["Smooth", "smooth", "60 fps on average", "1 hitch a minute", "0.1 % of the time above 33 ms"],
  ],
  [
    // Its median frame is one of 60 fps.
    "fifty frames a second with 24 hitches, one of 317 ms",
    [repeated(2_400, 16.7), repeated(600, 27), repeated(23, 110), [317]],
    ["Stutters", "poor", "51 fps on average", "24 hitches a minute", "4.8 % of the time above 33 ms"],
  ],
  [
    "a game that draws each second frame",
    [repeated(1_800, 33.3)],
    ["Playable", "playable", "30 fps on average", "0 hitches a minute", "0 % of the time above 33 ms"],
  ],
  [
    "frames of 40 ms",
    [repeated(1_500, 40)],
    ["Slow", "poor", "25 fps on average", "0 hitches a minute", "100 % of the time above 33 ms"],
  ],
  [
    "a third of the time in frames of 40 ms",
    [repeated(2_400, 16.7), repeated(500, 40)],
    ["Stutters", "poor", "48 fps on average", "0 hitches a minute", "33 % of the time above 33 ms"],
  ],
  [
    "some frames of 40 ms",
    [minute, repeated(50, 40)],
    ["Playable", "playable", "59 fps on average", "0 hitches a minute", "3.2 % of the time above 33 ms"],
  ],
])("the verdict on %s", (_, durations, verdict) => {
  expect(judge(...durations)).toEqual(verdict);
});
