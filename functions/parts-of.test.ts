import { expect, test } from "@jest/globals";
import { partsOf } from "./parts-of.ts";

test.each([
  [[], []],
  [[1], [[1]]],
  [[1, 2], [[1, 2]]],
  [
    [1, 2, 3, 4, 5],
    [[1, 2], [3, 4], [5]],
  ],
])("%j in parts of two is %j", (all, parts) => {
  expect(partsOf(all, 2)).toEqual(parts);
});
