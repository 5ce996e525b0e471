import { expect, test } from "@jest/globals";
import { readTime } from "./live-at.ts";

const now = new Date("2026-12-01T17:00:00.000Z");

test("a time with a zone is that time, and one without is of this machine", () => {
  for (const text of ["2026-12-01T19:00+01:00", "2026-12-01 18:00Z", "2026-12-01T18:00:00Z"])
    expect(readTime(text, now).toISOString()).toBe("2026-12-01T18:00:00.000Z");
  expect(readTime("2026-12-24T18:00", now)).toEqual(new Date(2026, 11, 24, 18));
});

test.each(["tomorrow", "2026-12-02", "2027-02-30T18:00", "2027-01-01T25:00", "2026-12-01T17:00Z", "2020-01-01T18:00"])(
  "the time %s is refused",
  (text) => {
    expect(() => readTime(text, now)).toThrow(expect.objectContaining({ code: "invalid_time" }));
  },
);
