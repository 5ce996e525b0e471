import { expect, test } from "@jest/globals";
import type { TelemetryRecord } from "../../../../contract/api/telemetry-records.ts";
import { analysisOf, scriptName } from "./analysis.ts";
import { rowsOf } from "./comparison.ts";
import { binInWords, binOf, histogramOf } from "./histogram.ts";

const named = (name: string, at: number, duration: number): TelemetryRecord => ({
  ...{ type: "long_frame", at, duration, blocking: 0 },
  scripts: [{ source: "/a.js", function: name, invoker: "", duration }],
});
const frames = (...durations: number[]): TelemetryRecord => ({ type: "frames", at: 0, durations });
const resource = (at: number, decoded = 1): TelemetryRecord => ({
  ...{ type: "resource", at, name: String(at), initiator: "", duration: 5, transferred: 1, decoded },
});
const load = (at: number, loaded: number): TelemetryRecord => ({
  type: "load",
  at,
  response: 1,
  interactive: 2,
  loaded,
});

test("a long frame is of 50 ms or more, and has what overlaps it most; the longest come first", () => {
  const { longFrames } = analysisOf([
    frames(49.9, 50, 100, 16),
    named("before", 40, 20),
    named("in it", 105, 90),
    named("after", 195, 50),
  ]);
  expect(longFrames.map(({ at, duration, told }) => [at, duration, told?.scripts[0]?.function])).toEqual([
    [99.9, 100, "in it"],
    [49.9, 50, "before"],
  ]);
});

test("at most 50 long frames are listed", () => {
  expect(analysisOf([frames(...Array.from({ length: 60 }, (_, index) => 60 + index))]).longFrames).toMatchObject(
    Array.from({ length: 50 }, (_, index) => ({ duration: 119 - index })),
  );
});

test("a script is called by its function, else by what called it, else by its file", () => {
  const script = { source: "/a.js", function: "", invoker: "setTimeout", duration: 1 };
  expect(scriptName({ ...script, function: "tick" })).toBe("tick");
  expect(scriptName(script)).toBe("setTimeout");
  expect(scriptName({ ...script, invoker: "" })).toBe("/a.js");
});

test("files that come later than ten seconds after the load are counted alone", () => {
  const { load: found } = analysisOf([resource(12_201), resource(300), load(200, 2_000), resource(12_200)]);
  expect(found.files.map(({ at }) => at)).toEqual([300, 12_200]);
  expect(found.later).toBe(1);
});

test("equal errors are one with their number, the most frequent first", () => {
  const error = (message: string, line = 1): TelemetryRecord => ({
    type: "error",
    at: 0,
    message,
    source: "/a.js",
    line,
  });
  const { errors } = analysisOf([error("one"), error("two"), error("two"), error("two", 2)]);
  expect(errors.map(({ error: { message, line }, count }) => [message, line, count])).toEqual([
    ["two", 1, 2],
    ["one", 1, 1],
    ["two", 2, 1],
  ]);
});

test("of two profiles a number is worse if it grew by more than 5 % and by more than clocks differ", () => {
  const changeOf = (title: string, before: TelemetryRecord[], after: TelemetryRecord[]) =>
    rowsOf(analysisOf(after), analysisOf(before)).find((row) => row.title === title)?.change;
  expect(changeOf("p50", [frames(100)], [frames(105)])).toBe("the same");
  expect(changeOf("p50", [frames(100)], [frames(105.1)])).toBe("worse");
  expect(changeOf("p50", [frames(105.1)], [frames(100)])).toBe("the same");
  expect(changeOf("p50", [frames(106)], [frames(100)])).toBe("better");
  // Half a millisecond is more than 5 % of it.
  expect(changeOf("p50", [frames(4)], [frames(4.5)])).toBe("the same");
  expect(changeOf("p50", [frames(4)], [frames(4.6)])).toBe("worse");
  const error: TelemetryRecord = { type: "error", at: 0, message: "", source: "", line: 0 };
  expect(changeOf("Errors", [frames(4)], [frames(4), error])).toBe("worse");
  expect(changeOf("Page loaded after", [frames(4)], [frames(4), load(0, 1)])).toBeUndefined();
  expect(changeOf("Files of the load", [resource(0, 10_000)], [resource(0, 20_000)])).toBe("worse");
});

test("the histogram has bars of 2 ms, and one for all from 100 ms on", () => {
  const counts = histogramOf([0, 1.9, 2, 16.7, 99.9, 100, 86_400_000].map((duration) => ({ at: 0, duration })));
  expect(counts).toHaveLength(51);
  expect(counts.flatMap((count, bin) => (count > 0 ? [[binInWords(bin), count]] : []))).toEqual([
    ["0 to 2 ms", 2],
    ["2 to 4 ms", 1],
    ["16 to 18 ms", 1],
    ["98 to 100 ms", 1],
    ["100 ms and more", 2],
  ]);
  expect([17.9, 18, 5_000].map(binOf)).toEqual([8, 9, 50]);
});
