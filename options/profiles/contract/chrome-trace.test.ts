import { expect, test } from "@jest/globals";
import { chromeTraceOf } from "./chrome-trace.ts";
import type { TelemetryRecord } from "./telemetry-records.ts";

const device: TelemetryRecord = {
  ...{ type: "device", at: 0, browser: "B", width: 1, height: 1, density: 1, cores: 1, graphics: "G", isolated: false },
  lacks: [],
};
const script = { source: "/game.js", function: "stutter", invoker: "setInterval", duration: 60 };

const eventsOf = (...records: TelemetryRecord[]) => chromeTraceOf(records).traceEvents.filter(({ ph }) => ph !== "M");

test("frames follow each other in microseconds, in the order in which they began", () => {
  const frames = eventsOf(
    { type: "frames", at: 100, durations: [16.7] },
    { type: "frames", at: 50, durations: [20, 30] },
  );
  expect(frames.map(({ name, ph, tid, ts, dur }) => ({ name, ph, tid, ts, dur }))).toEqual([
    { name: "Frame", ph: "X", tid: 1, ts: 50_000, dur: 20_000 },
    { name: "Frame", ph: "X", tid: 1, ts: 70_000, dur: 30_000 },
    { name: "Frame", ph: "X", tid: 1, ts: 100_000, dur: 16_700 },
  ]);
});

test("a long frame has its scripts, and a counter has the memory", () => {
  const [long, memory] = eventsOf(
    { type: "long_frame", at: 1, duration: 70, blocking: 20, scripts: [script] },
    { type: "memory", at: 2, bytes: 5 },
  );
  expect(long).toMatchObject({ ph: "X", tid: 2, ts: 1_000, dur: 70_000, args: { blocking: 20, scripts: [script] } });
  expect(memory).toMatchObject({ ph: "C", ts: 2_000, args: { bytes: 5 } });
});

test("what may overlap others begins and ends by an id of its own", () => {
  const resource = { type: "resource", name: "/a.js", initiator: "script", transferred: 1, decoded: 2 } as const;
  const events = eventsOf(
    { type: "load", at: 0, response: 1, interactive: 2, loaded: 3 },
    { ...resource, at: 1, duration: 10 },
    { ...resource, at: 2, duration: 4 },
    { type: "input", at: 5, name: "click", delay: 1, duration: 2 },
  );
  expect(events.map(({ name, ph, ts }) => `${name} ${ph} ${ts}`)).toEqual([
    ...["Load of the page b 0", "Load of the page e 3000", "/a.js b 1000", "/a.js e 11000"],
    ...["/a.js b 2000", "/a.js e 6000", "click b 5000", "click e 7000"],
  ]);
  const ids = events.filter(({ ph }) => ph === "b").map(({ id }) => id);
  expect(new Set(ids).size).toBe(4);
  expect(events.filter(({ ph }) => ph === "e").map(({ id }) => id)).toEqual(ids);
});

test("marks, errors and what the person pressed are at one time; a second opening follows the first", () => {
  const events = eventsOf(
    device,
    { type: "frames", at: 0, durations: [16] },
    { type: "error", at: 3, message: "no", source: "", line: 1 },
    device,
    { type: "stop", at: 1 },
    { type: "mark", at: 2, name: "Mark 1" },
  );
  expect(events.map(({ name, ph, ts }) => `${name} ${ph} ${ts}`)).toEqual([
    ...["Frame X 0", "device I 0", "Error: no I 3000", "device I 16000", "stop I 17000", "Mark 1 I 18000"],
  ]);
});

test("the process and each of its threads have a name", () => {
  expect(chromeTraceOf([]).traceEvents.map(({ name, tid, args }) => [name, tid, args["name"]])).toEqual([
    ["process_name", 0, "Game"],
    ["thread_name", 1, "Frames"],
    ["thread_name", 2, "Long frames"],
    ["thread_name", 3, "Input"],
    ["thread_name", 4, "Files"],
  ]);
});
