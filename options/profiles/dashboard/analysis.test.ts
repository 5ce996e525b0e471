import { expect, test } from "@jest/globals";
import type { TelemetryRecord } from "../contract/telemetry-records.ts";
import { analysisOf, lineOf, scriptName } from "./analysis.ts";
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

test("at most 500 long frames are listed", () => {
  expect(analysisOf([frames(...Array.from({ length: 510 }, (_, index) => 60 + index))]).longFrames).toMatchObject(
    Array.from({ length: 500 }, (_, index) => ({ duration: 569 - index })),
  );
});

test("a script is called by its function, else by what called it, else by its file", () => {
  const script = { source: "/a.js", function: "", invoker: "setTimeout", duration: 1 };
  expect(scriptName({ ...script, function: "tick" })).toBe("tick");
  expect(scriptName(script)).toBe("setTimeout");
  expect(scriptName({ ...script, invoker: "" })).toBe("/a.js");
  expect(scriptName({ ...script, invoker: "", source: "" })).toBe("a script without a name");
});

test("files that come later than ten seconds after the load are counted alone", () => {
  const { load: found } = analysisOf([resource(12_201), resource(300), load(200, 2_000), resource(12_200)]);
  expect(found.files.map(({ at }) => at)).toEqual([300, 12_200]);
  expect(found.later).toBe(1);
});

test("equal errors are one with their number, the most frequent first", () => {
  const error = (message: string, line = 1, source = "/a.js"): TelemetryRecord => ({
    type: "error",
    at: 0,
    message,
    source,
    line,
  });
  const { errors } = analysisOf([error("one"), error("two"), error("two"), error("two", 2), error("one", 1, "/b.js")]);
  expect(errors.map(({ error: { message, line, source }, count }) => [message, line, source, count])).toEqual([
    ["two", 1, "/a.js", 2],
    ["one", 1, "/a.js", 1],
    ["two", 2, "/a.js", 1],
    ["one", 1, "/b.js", 1],
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

const memory = (at: number, bytes: number): TelemetryRecord => ({ type: "memory", at, bytes });
const failed = (source: string): TelemetryRecord => ({ type: "error", at: 0, message: "one", source, line: 1 });
const repeated = (...parts: [count: number, duration: number][]) =>
  frames(...parts.flatMap(([count, duration]) => Array<number>(count).fill(duration)));
const mib = 1_048_576;

test("each number of a profile is its own, beside that of the other, and one that neither has is left out", () => {
  const full = analysisOf([
    ...[repeated([930, 10], [50, 20], [19, 40], [1, 200]), load(0, 1_234)],
    ...[resource(1, 2_048), resource(2, 1_024), memory(1, 10 * mib), memory(2, 30 * mib), memory(3, 20 * mib)],
    ...[failed("/a.js"), failed("/a.js"), failed("/b.js")],
  ]);
  const expected = [
    ["p50", "10 ms · 100 fps"],
    ["p95", "20 ms · 50 fps"],
    ["p99", "40 ms · 25 fps"],
    ["Longest frame", "200 ms"],
    ["Over 16.7 ms", "7 %"],
    // 960 of 11,260 ms.
    ["Time over 33 ms", "8.5 %"],
    ["Hitches a minute", "5.3"],
    ["Page loaded after", "1,234 ms"],
    ["Files of the load", "3 KiB"],
    ["Memory at most", "30 MiB"],
    ["Errors", "3 errors"],
  ];
  expect(rowsOf(full).map(({ title, value, other }) => [title, value, other])).toEqual(
    expected.map((row) => [...row, "–"]),
  );
  const empty = analysisOf([]);
  expect(rowsOf(empty)).toMatchObject([{ title: "Errors", value: "0 errors" }]);
  expect(rowsOf(empty, full).map(({ title, value, other }) => [title, other, value])).toEqual(
    expected.map((row) => [...row, row[0] === "Errors" ? "0 errors" : "–"]),
  );
});

test.each<[string, same: TelemetryRecord[][], worse: TelemetryRecord]>([
  ["p95", [[frames(4)], [frames(4.5)]], frames(4.6)],
  ["p99", [[frames(4)], [frames(5)]], frames(5.1)],
  ["Longest frame", [[frames(4)], [frames(9)]], frames(9.1)],
  ["Over 16.7 ms", [[repeated([100, 10])], [repeated([99, 10], [1, 20])]], repeated([98, 10], [2, 20])],
  ["Time over 33 ms", [[repeated([400, 10])], [repeated([399, 10], [1, 40])]], repeated([398, 10], [2, 40])],
  ["Hitches a minute", [[repeated([12_000, 10])], [repeated([12_000, 10], [1, 50])]], repeated([12_000, 10], [2, 50])],
  ["Page loaded after", [[load(0, 100)], [load(0, 150)]], load(0, 151)],
  ["Memory at most", [[memory(0, mib)], [memory(0, 2 * mib)]], memory(0, 2 * mib + 1)],
])("%s has a difference that clocks or browsers make", (title, [before = [], same = []], worse) => {
  const changeTo = (after: TelemetryRecord[]) =>
    rowsOf(analysisOf(after), analysisOf(before)).find((row) => row.title === title)?.change;
  expect([changeTo(same), changeTo([worse])]).toEqual(["the same", "worse"]);
});

test("the twenty slowest inputs are listed, the slowest first, and of the events of one tap the slowest alone", () => {
  const { slowInputs } = analysisOf(
    Array.from({ length: 25 }, (_, index) => ({
      type: "input" as const,
      name: "",
      at: 1_000 * index,
      delay: 0,
      duration: 100 + index,
    }))
      // They end with the same frame as the one above.
      .flatMap((input) => [{ ...input, at: input.at + 10, duration: 80 }, input]),
  );
  expect(slowInputs.map(({ duration }) => duration)).toEqual(Array.from({ length: 20 }, (_, index) => 124 - index));
});

test("without a page that tells of its load, the files of it are those of ten seconds from the first on", () => {
  const { load: found } = analysisOf([resource(60_001), resource(50_000), resource(60_000)]);
  expect([found.files.map(({ at }) => at), found.later]).toEqual([[50_000, 60_000], 1]);
});

test("the line of frame times is in seconds, with a gap if no frame came for more than a second", () => {
  const line = [
    { at: 500, duration: 100 },
    { at: 1_600, duration: 16 },
    { at: 2_617, duration: 20 },
  ];
  expect(lineOf(line)).toEqual({ x: [0.5, 1.6, 1.616, 2.617], values: [100, 16, null, 20] });
  expect(lineOf([])).toEqual({ x: [], values: [] });
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
