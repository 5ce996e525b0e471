import { expect, test } from "@jest/globals";
import { isLfsPointer } from "./git-lfs.ts";

const pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";

test.each([
  [pointer, true],
  [pointer.slice(0, 42), false],
  [`# ${pointer}`, false],
  ["", false],
])("%j is a pointer: %p", (text, is) => {
  expect(isLfsPointer(new TextEncoder().encode(text))).toBe(is);
});
