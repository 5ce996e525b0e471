import { expect, test } from "@jest/globals";
import { compare } from "./comparison.ts";

const one = new Array<number>(15).fill(1);

test("a ratio is that of the pairs, not that of the medians", () => {
  const theirs = Array.from({ length: 15 }, (_, index) => 10 + index);
  const ours = theirs.map((value) => value / 2);
  expect(compare(ours, theirs)).toEqual({ ours: 8.5, theirs: 17, ratio: 0.5, low: 0.5, high: 0.5, isDecided: true });
});

test("of 15 pairs the interval leaves out three at each end, as a sign test at 95 % allows", () => {
  const ours = Array.from({ length: 15 }, (_, index) => index + 1);
  expect(compare(ours, one)).toMatchObject({ low: 4, high: 12 });
});

test("an interval that holds 1 is noise", () => {
  const ours = [0.5, 0.6, 0.7, 0.8, 0.9, 0.9, 0.9, 0.9, 1.1, 1.1, 1.1, 1.2, 1.3, 1.4, 1.5];
  expect(compare(ours, one)).toMatchObject({ ratio: 0.9, isDecided: false });
  expect(
    compare(
      ours.map((value) => value / 2),
      one,
    ),
  ).toMatchObject({ isDecided: true });
});

test("fewer than six pairs decide nothing", () => {
  expect(compare([1, 1, 1, 1, 1], [2, 2, 2, 2, 2])).toMatchObject({ ratio: 0.5, isDecided: false });
});

test("measurements without a partner are refused", () => {
  expect(() => compare([1], [])).toThrow(RangeError);
  expect(() => compare([], [])).toThrow(RangeError);
});
