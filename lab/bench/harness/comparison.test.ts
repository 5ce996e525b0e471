import { expect, test } from "@jest/globals";
import { compare } from "./comparison.ts";

const one = new Array<number>(15).fill(1);

test("a ratio is the median of the pairs' ratios, not the ratio of the medians", () => {
  const theirs = Array.from({ length: 15 }, (_, index) => 10 + index);
  const ours = theirs.map((value) => value / 2);
  expect(compare(ours, theirs)).toEqual({ ours: 8.5, theirs: 17, ratio: 0.5, low: 0.5, high: 0.5 });
});

test("with 15 pairs the interval excludes three at each end, as a sign test at 95 % allows", () => {
  const ours = Array.from({ length: 15 }, (_, index) => index + 1);
  expect(compare(ours, one)).toMatchObject({ low: 4, high: 12 });
});

test("measurements without a partner are refused", () => {
  expect(() => compare([1], [])).toThrow(RangeError);
  expect(() => compare([], [])).toThrow(RangeError);
});
