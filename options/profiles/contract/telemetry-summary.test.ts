import { expect, test } from "@jest/globals";
import { summaryOf } from "./telemetry-summary.ts";

test("a profile without frames has no summary", () => {
  expect(summaryOf([{ type: "start", at: 0 }])).toBeUndefined();
});

test("percentiles are by nearest rank, over all records in any order", () => {
  const durations = Array.from({ length: 100 }, (_, index) => 100 - index);
  const records = [
    { type: "frames" as const, at: 900, durations: durations.slice(0, 40) },
    { type: "mark" as const, at: 1, name: "x" },
    { type: "frames" as const, at: 0, durations: durations.slice(40) },
    { type: "unmeasured" as const, at: 0, duration: 5_000, reason: "no_request" as const },
    { type: "unmeasured" as const, at: 0, duration: 1_240, reason: "worker" as const },
    { type: "error" as const, at: 1, message: "x", source: "", line: 1 },
  ];
  expect(summaryOf(records)).toEqual({
    ...{ frames: 100, seconds: 5.1, unmeasuredSeconds: 6.2, p50: 50, p95: 95, p99: 99, longest: 100 },
    ...{ over16: 0.83, over33: 0.67, errors: 1, marks: 1 },
    // 5,050 ms in all, of which 51 frames of 50 to 100 ms, and 67 of 34 to 100 ms that take 4,489 ms together.
    ...{ framesPerSecond: 19.8, hitches: 51, hitchesPerMinute: 605.9, timeOver33: 4_489 / 5_050 },
  });
});

test.each([
  [16.7, [16, 17, 17.2, 17.3], { over16: 0.25, over33: 0 }],
  [33.4, [33, 33.5, 33.9, 34], { over16: 1, over33: 0.25 }],
])("a frame of %s ms with a coarse clock is not over it", (_, durations, over) => {
  expect(summaryOf([{ type: "frames", at: 0, durations }])).toMatchObject(over);
});
