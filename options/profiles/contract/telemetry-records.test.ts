import { expect, test } from "@jest/globals";
import { telemetryRecord } from "./telemetry-records.ts";

const script = { source: "", function: "", invoker: "", duration: 0 };
const device = {
  type: "device",
  browser: "",
  width: 0,
  height: 0,
  density: 0,
  cores: 0,
  graphics: "",
  isolated: false,
};
const resource = { type: "resource", name: "", initiator: "", duration: 0, transferred: 0, decoded: 0 };
const longFrame = { type: "long_frame", duration: 0, blocking: 0 };
const error = { type: "error", message: "", source: "", line: 0 };
const input = { type: "input", name: "", delay: 0, duration: 0 };
const load = { type: "load", response: 0, interactive: 0, loaded: 0 };
const characters = (count: number) => "x".repeat(count);
const items = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item);
const withScript = (fields: object) => ({ ...longFrame, scripts: [{ ...script, ...fields }] });

test.each<[string, number, (value: number) => object]>([
  ["characters of a browser's name", 300, (value) => ({ ...device, lacks: [], browser: characters(value) })],
  ["characters of a graphics card's name", 300, (value) => ({ ...device, lacks: [], graphics: characters(value) })],
  ["pixels of a screen's width", 100_000, (value) => ({ ...device, lacks: [], width: value })],
  ["pixels of a screen's height", 100_000, (value) => ({ ...device, lacks: [], height: value })],
  ["entries of what a browser lacks", 10, (value) => ({ ...device, lacks: items(value, "memory") })],
  ["characters of a mark's name", 80, (value) => ({ type: "mark", name: characters(value) })],
  ["frames in one record", 1_000, (value) => ({ type: "frames", durations: items(value, 16) })],
  ["milliseconds of a frame", 86_400_000, (value) => ({ type: "frames", durations: [value] })],
  ["milliseconds not measured", 86_400_000, (value) => ({ type: "unmeasured", reason: "worker", duration: value })],
  ["milliseconds of a long frame", 86_400_000, (value) => ({ ...longFrame, scripts: [], duration: value })],
  ["milliseconds of a long frame's blocking", 86_400_000, (value) => ({ ...longFrame, scripts: [], blocking: value })],
  ["scripts of a long frame", 5, (value) => ({ ...longFrame, scripts: items(value, script) })],
  ["characters of a script's source", 300, (value) => withScript({ source: characters(value) })],
  ["characters of a script's function", 100, (value) => withScript({ function: characters(value) })],
  ["characters of a script's invoker", 300, (value) => withScript({ invoker: characters(value) })],
  ["milliseconds of a script", 86_400_000, (value) => withScript({ duration: value })],
  ["characters of an input's name", 40, (value) => ({ ...input, name: characters(value) })],
  ["milliseconds of an input's delay", 86_400_000, (value) => ({ ...input, delay: value })],
  ["characters of a file's name", 300, (value) => ({ ...resource, name: characters(value) })],
  ["characters of a file's initiator", 40, (value) => ({ ...resource, initiator: characters(value) })],
  ["characters of a file's encoding", 40, (value) => ({ ...resource, encoding: characters(value) })],
  ["milliseconds of a load", 86_400_000, (value) => ({ ...load, loaded: value })],
  ["characters of an error's message", 500, (value) => ({ ...error, message: characters(value) })],
  ["characters of an error's source", 300, (value) => ({ ...error, source: characters(value) })],
])("%s: %i and not one more", (_, most, record) => {
  expect(telemetryRecord.safeParse({ at: 0, ...record(most) }).error).toBeUndefined();
  expect(telemetryRecord.safeParse({ at: 0, ...record(most + 1) }).success).toBe(false);
});

test.each<[string, object]>([
  ["half a byte", { type: "memory", bytes: 0.5 }],
  ["fewer than no bytes", { ...resource, transferred: -1 }],
  ["a screen narrower than nothing", { ...device, lacks: [], width: -1 }],
  ["a frame shorter than nothing", { type: "frames", durations: [-1] }],
  ["a record of no frames", { type: "frames", durations: [] }],
  ["time not measured for another reason", { type: "unmeasured", duration: 1, reason: "tired" }],
  ["half a processor", { ...device, lacks: [], cores: 0.5 }],
  ["an unknown lack", { ...device, lacks: ["frames"] }],
  ["a record without its time", { type: "start", at: undefined }],
])("%s is refused", (_, record) => {
  expect(telemetryRecord.safeParse({ at: 0, ...record }).success).toBe(false);
});
