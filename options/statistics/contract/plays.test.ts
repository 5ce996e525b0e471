import { describe, expect, test } from "@jest/globals";
import { firstOfDays } from "../../../contract/api/time/first-of-days.ts";
import { compareReleases, latestUpdate } from "./plays.ts";

/** A day of a release: so many plays, half of them repeated, at so many milliseconds, and requests that failed. */
const day = (number: number, plays: number, milliseconds: number, failed = 0) => ({
  release: { id: `id-${number}`, number },
  first_plays: Math.ceil(plays / 2),
  repeated_plays: Math.floor(plays / 2),
  first_byte_milliseconds: plays === 0 ? null : milliseconds,
  errors: { 404: failed, 500: 1 },
});
const played = (number: number, plays: number) => day(number, plays, 10);

describe("what an update did", () => {
  test("sums the days of a release: its plays, errors of all statuses per 100 plays, and the first byte by plays", () => {
    const days = [day(1, 30, 100, 2), day(1, 10, 20), day(2, 25, 50), { ...played(1, 0), release: null }];
    expect(latestUpdate(days)).toEqual({
      of: { release: { id: "id-2", number: 2 }, plays: 25, errorsPer100Plays: 4, firstByteMilliseconds: 50 },
      before: { release: { id: "id-1", number: 1 }, plays: 40, errorsPer100Plays: 10, firstByteMilliseconds: 80 },
    });
  });

  test("compares the two with the highest numbers, in whatever order they were played", () => {
    const days = [played(3, 20), played(11, 20), played(2, 20)];
    expect([latestUpdate(days)?.of, latestUpdate(days)?.before].map((of) => of?.release.number)).toEqual([11, 3]);
  });

  test("does not take a release for the one before that was requested but not played", () => {
    expect(latestUpdate([played(1, 20), played(2, 0), played(3, 20)])?.before.release.number).toBe(1);
  });

  test.each([
    ["the latest has 19 plays", [played(1, 100), played(2, 19)]],
    ["the one before has 19 plays", [played(1, 19), played(2, 100)]],
    ["there is one", [played(1, 100)]],
    ["there is none", []],
  ])("says nothing if %s", (_, days) => {
    expect(latestUpdate(days)).toBeUndefined();
  });

  test("says something of 20 plays each", () => {
    expect(latestUpdate([played(1, 20), played(2, 20)])?.of.plays).toBe(20);
  });
});

describe("a release beside another one", () => {
  const days = [played(1, 20), played(2, 30), played(2, 10), played(3, 19)];
  const compared = (of: number, before: number) => {
    const found = compareReleases(days, { of: `id-${of}`, before: `id-${before}` });
    return found && [found.of.plays, found.before.plays];
  };

  test.each([
    [1, 2, [20, 40]],
    [2, 1, [40, 20]],
  ])("#%i and #%i are compared, whichever is the later one", (of, before, plays) => {
    expect(compared(of, before)).toEqual(plays);
  });

  test.each([
    ["one has 19 plays", 1, 3],
    ["the other one has 19 plays", 3, 1],
    ["nobody played one", 4, 1],
    ["nobody played the other one", 1, 4],
  ])("are not compared if %s", (_, of, before) => {
    expect(compared(of, before)).toBeUndefined();
  });
});

test("the first of one day is today, and that of 92 days is 91 days before it", () => {
  const today = new Date().toISOString().slice(0, 10);
  expect([firstOfDays(1), Date.parse(today) - Date.parse(firstOfDays(92))]).toEqual([today, 91 * 86_400_000]);
});
