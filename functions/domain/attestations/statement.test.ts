import { expect, test } from "@jest/globals";
import { namesFiles } from "./statement.ts";

test("a statement names up to 1,000 files", () => {
  expect([1_000, 1_001].map((files) => namesFiles({ files }))).toEqual([true, false]);
});
