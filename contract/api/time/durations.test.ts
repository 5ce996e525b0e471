import { expect, test } from "@jest/globals";
import { relativeTime } from "../../../dashboard/src/format.ts";
import { durationUntil } from "./durations.ts";

const now = Date.parse("2026-05-01T12:00:00Z");
const [second, minute, hour, day] = [1_000, 60_000, 3_600_000, 86_400_000];

test.each([
  [365 * day, "365 days"],
  [90 * day - second, "90 days"],
  [7 * day, "7 days"],
  [7 * day - second, "7 days"],
  [6.5 * day, "7 days"],
  [6.5 * day - minute, "6 days"],
  [36 * hour, "2 days"],
  [36 * hour - second, "2 days"],
  [36 * hour - minute, "36 hours"],
  [day, "24 hours"],
  [1.5 * hour, "2 hours"],
  [1.5 * hour - minute, "1 hour"],
  [hour - second, "1 hour"],
  [hour - minute, "59 minutes"],
  [30 * second, "1 minute"],
  [30 * second - 1, "less than a minute"],
  [minute, "1 minute"],
  [0, "less than a minute"],
  [-day, "less than a minute"],
])("until a time in %d ms it is %s", (milliseconds, words) => {
  const time = new Date(now + milliseconds).toISOString();
  expect(durationUntil(time, now)).toBe(words);
  if (milliseconds >= minute) expect(relativeTime(time, now)).toBe(`in ${words}`);
});

test("what has just happened by a clock that is a little ahead has happened just now", () => {
  expect(relativeTime(new Date(now + 59_000).toISOString(), now)).toBe("just now");
});
