import { expect, test } from "@jest/globals";
import { type PlayedDay, playedDays, playedHours, releaseMarks } from "./days.ts";

const day = (number: number, ...releases: number[]): PlayedDay => ({
  ...{ number, plays: 1, firstPlays: 1, bytes: 1, errors: 0 },
  releases,
});

test("a release is marked on its first day, and none of the very first one, which may be older", () => {
  const days = [day(1, 1, 2), day(2, 2, 3), day(3), day(4, 1, 4, 5), day(5, 6, 7, 8)];
  expect(releaseMarks(days)).toEqual([
    { at: 1.5, text: "#3" },
    { at: 3.5, text: "#4, #5" },
    { at: 4.5, text: "#6 to #8" },
  ]);
  expect(releaseMarks([])).toEqual([]);
});

test("a day is that of all releases together, and one without visits has zeros", () => {
  const played = { first_plays: 3, repeated_plays: 1, bytes: 100, errors: { "404": 2, "500": 1 }, requests: 9 };
  const of = (date: string, number: number | null) => ({
    ...{ day: date, release: number === null ? null : { id: "r", number }, ...played },
    ...{ countries: {}, failing: [], first_byte_milliseconds: 1 },
  });
  const days = [of("1970-01-02", 9), of("1970-01-02", 8), of("1970-01-02", null), of("1970-01-04", 9)];
  const statistics = { from: "1970-01-02", to: "1970-01-04", days } as unknown as Parameters<typeof playedDays>[0];
  expect(playedDays(statistics)).toEqual([
    { number: 1, plays: 12, firstPlays: 9, bytes: 300, errors: 9, releases: [8, 9] },
    { number: 2, plays: 0, firstPlays: 0, bytes: 0, errors: 0, releases: [] },
    { number: 3, plays: 4, firstPlays: 3, bytes: 100, errors: 3, releases: [9] },
  ]);
});

test("the hours begin with the first day and end with the present one, and one without plays has zero", () => {
  const at = (at: string, plays: number) => ({ at, plays });
  const hours = [at("1970-01-01T23:00:00.000Z", 1), at("1970-01-02T00:00:00.000Z", 20)];
  const played = playedHours(
    { from: "1970-01-01", hours: [...hours, at("1970-01-02T22:00:00.000Z", 300)] },
    46.9 * 3_600_000,
  );
  expect(played.map(({ number }) => number)).toEqual(Array.from({ length: 47 }, (_, index) => index));
  expect(played.filter(({ plays }) => plays > 0)).toEqual([
    { number: 23, plays: 1 },
    { number: 24, plays: 20 },
    { number: 46, plays: 300 },
  ]);
});
