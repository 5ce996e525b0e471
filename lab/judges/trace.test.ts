import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { build } from "esbuild";
import { chromeTraceOf } from "../../options/profiles/contract/chrome-trace.ts";
import type { TelemetryRecord } from "../../options/profiles/contract/telemetry-records.ts";
import { summaryOf } from "../../options/profiles/contract/telemetry-summary.ts";
import { fetchedPackage } from "../../test/support/fetched-package.ts";
import { randomNumbers } from "../../test/support/random.ts";
import { judge } from "../foreign-tools.ts";

/*
 * The engine with which Chromium's DevTools read a trace, which npm has too, reads that of a profile: what it finds is what the profile has.
 */

const engine = {
  specification: "@paulirish/trace_engine@0.0.65",
  integrity: "sha512-Qsm6F5C8xf6ZzQXbQc2+wcpe6sggfs/gvc/ytqSurdvYg3kyW0ECHCqE0CWBKZpqgjVfPNX9c7SCS3r2nEIRGg==",
};
/** The modules that it imports. */
const needed = {
  "third-party-web": {
    specification: "third-party-web@0.30.0",
    integrity: "sha512-p+PfyL5U0ediGzvwPzMSdD9MnC8rHW6nWJJVLIQvqN7RsSqfaZ+7n4c9GILqH36EYR0eXB9CzAeCRnKFr/9uJg==",
  },
  "legacy-javascript": {
    specification: "legacy-javascript@0.0.1",
    integrity: "sha512-lPyntS4/aS7jpuvOlitZDFifBCb4W8L/3QU0PLbUTUj+zYah8rfVjYic88yG7ZKTxhS5h9iz7duT8oUXKszLhg==",
  },
};

/** Prints what it finds in the file that it is given. The engine makes rectangles, which Node does not have. */
const program = `
globalThis.DOMRect = class { static fromRect(rectangle) { return Object.assign(new DOMRect(), rectangle); } };
const { Processor } = await import("engine");
const { readFileSync } = await import("node:fs");
const processor = Processor.TraceProcessor.createWithAllHandlers();
await processor.parse(JSON.parse(readFileSync(process.argv[2], "utf8")).traceEvents, { isFreshRecording: false, metadata: {} });
const { Meta, Renderer, UserTimings } = processor.data;
const [[, game]] = Renderer.processes;
const threads = Object.fromEntries([...game.threads.values()].map(({ name, entries }) => [name, entries]));
const { min, max } = Meta.traceBounds;
console.log(JSON.stringify({ threads, measures: UserTimings.performanceMeasures, marks: UserTimings.performanceMarks, min, max }));
`;

const folder = mkdtempSync(join(tmpdir(), "svc-trace-"));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(async () => {
  const imports = Object.entries(needed).map(([name, each]) => [name, fetchedPackage(each)] as const);
  await build({
    stdin: { contents: program, resolveDir: folder },
    alias: { engine: join(fetchedPackage(engine), "models/trace/trace.js"), ...Object.fromEntries(imports) },
    ...{ bundle: true, platform: "node", format: "esm", logLevel: "error" },
    outfile: join(folder, "judge.mjs"),
  });
});

interface Event {
  readonly name: string;
  readonly ts: number;
  readonly dur: number;
  readonly args: Readonly<Record<string, unknown>>;
}

interface Findings {
  readonly threads: Readonly<Record<string, readonly Event[]>>;
  readonly measures: readonly Event[];
  readonly marks: readonly Event[];
  readonly min: number;
  readonly max: number;
}

const random = randomNumbers(7);
const durations = Array.from(
  { length: 600 },
  () => Math.round((random() < 0.05 ? 50 + 200 * random() : 16.7) * 10) / 10,
);
const script = { source: "/game.js", function: "stutter", invoker: "setInterval", duration: 60 };
const resource = { type: "resource", initiator: "script", transferred: 1, decoded: 2 } as const;
const records: readonly TelemetryRecord[] = [
  {
    ...{ type: "device", at: 0.5, browser: "B", width: 1, height: 1, density: 1, cores: 1, graphics: "G" },
    ...{ isolated: false, lacks: [] },
  },
  { type: "start", at: 0.6 },
  { ...resource, at: 2, name: "/engine.js", duration: 300 },
  { ...resource, at: 100, name: "/level.bin", duration: 500.5 },
  { type: "frames", at: 400, durations: durations.slice(0, 300) },
  { type: "long_frame", at: 420, duration: 151, blocking: 90, scripts: [script] },
  { type: "input", at: 450, name: "pointerdown", delay: 3, duration: 40 },
  { type: "mark", at: 900, name: "Mark 1" },
  { type: "error", at: 950, message: "a mistake", source: "/game.js", line: 6 },
  {
    type: "frames",
    at: 400 + durations.slice(0, 300).reduce((sum, each) => sum + each, 0),
    durations: durations.slice(300),
  },
];

function findings(): Findings {
  writeFileSync(join(folder, "trace.json"), JSON.stringify(chromeTraceOf(records)));
  const words = [join(folder, "judge.mjs"), join(folder, "trace.json")];
  const { code, stdout, stderr } = judge({ program: process.execPath }, words);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Findings;
}

test("DevTools' engine finds the frames, files, inputs and marks of a profile in its trace", () => {
  const { threads, measures, marks, min, max } = findings();
  const frames = (threads["Frames"] ?? []).filter(({ name }) => name === "Frame");
  expect(frames.map(({ dur }) => dur / 1_000)).toEqual(durations);
  const summary = summaryOf(records);
  expect(frames).toHaveLength(summary?.frames ?? 0);
  expect(Math.max(...frames.map(({ dur }) => dur)) / 1_000).toBe(summary?.longest);
  expect(frames.filter(({ dur }) => dur >= 50_000)).toHaveLength(durations.filter((each) => each >= 50).length);
  expect(threads["Long frames"]).toMatchObject([
    { name: "Long frame", ts: 420_000, dur: 151_000, args: { blocking: 90, scripts: [script] } },
  ]);
  expect(measures.map(({ name, ts, dur }) => [name, ts, dur])).toEqual([
    ["/engine.js", 2_000, 300_000],
    ["/level.bin", 100_000, 500_500],
    ["pointerdown", 450_000, 40_000],
  ]);
  expect(marks.map(({ name, ts }) => [name, ts])).toEqual([
    ["device", 500],
    ["start", 600],
    ["Mark 1", 900_000],
    ["Error: a mistake", 950_000],
  ]);
  // The range that DevTools show at first: all of it.
  const end = 400 + durations.reduce((sum, each) => sum + each, 0);
  expect([min, max / 1_000]).toEqual([500, expect.closeTo(end, 3)]);
});
