import { expect, test } from "@jest/globals";
import { isNewer } from "./newer-version.ts";

test.each([
  ["0.1.1", "0.1.0", true],
  ["0.10.0", "0.9.9", true],
  ["1.0.0", "0.9.9", true],
  ["0.1.0", "0.1.0", false],
  ["0.0.9", "0.1.0", false],
  ["0.9.9", "1.0.0", false],
  ["2.0", "0.1.0", false],
  ["2.0.0\u001b[31m", "0.1.0", false],
])("%j is newer than %s: %s", (version, than, expected) => {
  expect(isNewer(version, than)).toBe(expected);
});
