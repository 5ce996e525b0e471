import { expect, test } from "@jest/globals";
import { asBar, asEvent, asLine, type Snapshot } from "./progress.ts";

const snapshot: Snapshot = {
  phase: "Uploading",
  done: { files: 1_200, bytes: 30_000_000 },
  total: { files: 2_000, bytes: 60_000_000 },
  bytesPerSecond: 8_100_000,
  secondsLeft: 74.2,
};
const plain = (text: string) => text;

test("progress is a line of text", () => {
  expect(asLine(snapshot)).toBe("Uploading: 1,200 of 2,000 files, 28.6 MiB of 57.2 MiB, 7.7 MiB/s, 1:15 left");
});

test("progress is an event for programs", () => {
  expect(asEvent({ ...snapshot, secondsLeft: undefined })).toEqual({
    event: "progress",
    phase: "uploading",
    files: 1_200,
    files_total: 2_000,
    bytes: 30_000_000,
    bytes_total: 60_000_000,
    bytes_per_second: 8_100_000,
    seconds_left: null,
  });
});

test("progress is a bar that fills the rest of the line", () => {
  expect(asBar(snapshot, 120, plain)).toBe(
    "Uploading  [#################·············]  1,200/2,000 files  28.6 MiB/57.2 MiB  7.7 MiB/s  1:15 left",
  );
  for (const columns of [20, 40, 70, 80, 90]) expect(asBar(snapshot, columns, plain).length).toBeLessThan(columns);
});

test("too many or negative bytes still draw a bar of the right width", () => {
  for (const bytes of [-5, 90_000_000])
    expect(asBar({ ...snapshot, done: { files: 0, bytes } }, 120, plain)).toMatch(/\[[#·]{30}\]/);
});

test("the bar is not full while files are left, nor half empty before the end of a large one", () => {
  const barOf = (done: Snapshot["done"], total: Snapshot["total"]) => asBar({ ...snapshot, done, total }, 120, plain);
  const bytes = 60_000_000;
  expect(barOf({ files: 2_000, bytes }, { files: 3_000, bytes })).toMatch(/\[#{21}·{9}\]/);
  expect(barOf({ files: 0, bytes }, { files: 1, bytes })).toMatch(/\[#{29}·\]/);
  expect(barOf({ files: 1, bytes }, { files: 1, bytes })).toMatch(/\[#{30}\]/);
});
