import { expect, test } from "@jest/globals";
import { framesOf, timelineOf } from "./profile-timeline.ts";
import type { TelemetryRecord } from "./telemetry-records.ts";

const device: TelemetryRecord = {
  ...{ type: "device", at: 1, browser: "", width: 1, height: 1, density: 1, cores: 1, graphics: "", isolated: false },
  lacks: [],
};

test("each opening of the page begins when the one before has ended", () => {
  const timeline = timelineOf([
    device,
    { type: "frames", at: 10, durations: [20, 70] },
    { type: "mark", at: 5, name: "before the frames end" },
    device,
    { type: "frames", at: 10, durations: [16] },
  ]);
  expect(timeline.map(({ at }) => at)).toEqual([1, 10, 5, 101, 110]);
});

test("an opening also ends with its load, and with an input that is still handled", () => {
  const load: TelemetryRecord = { type: "load", at: 2, response: 1, interactive: 2, loaded: 300 };
  const input: TelemetryRecord = { type: "input", at: 290, name: "click", delay: 1, duration: 40 };
  expect(timelineOf([device, load, device]).at(-1)?.at).toBe(303);
  expect(timelineOf([device, load, input, device]).at(-1)?.at).toBe(331);
});

test("frames are in the order in which they began, whatever order they came in", () => {
  expect(
    framesOf([
      { type: "frames", at: 100, durations: [16, 17] },
      { type: "mark", at: 1, name: "x" },
      { type: "frames", at: 5, durations: [50] },
    ]),
  ).toEqual([
    { at: 5, duration: 50 },
    { at: 100, duration: 16 },
    { at: 116, duration: 17 },
  ]);
});
