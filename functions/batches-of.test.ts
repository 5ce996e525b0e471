import { expect, test } from "@jest/globals";
import { batchesOf } from "./batches-of.ts";

test.each([
  [[], []],
  [[1], [[1]]],
  [[1, 2], [[1, 2]]],
  [
    [1, 2, 3, 4, 5],
    [[1, 2], [3, 4], [5]],
  ],
])("%j in batches of two is %j", (all, batches) => {
  expect(batchesOf(all, 2)).toEqual(batches);
});
