import { expect, test } from "@jest/globals";
import { acceptsEncoding } from "./qualities.ts";

test.each([
  ["gzip, deflate, br, zstd", true],
  ["BR", true],
  ["*", true],
  ["gzip;q=1.0, br;q=0.5", true],
  ["br;q=0", false],
  ["br; q=0, *", false],
  ["*;q=0", false],
  ["br;q=0.5, identity", false],
  ["br;q=0.5, identity;q=0.2", true],
  ["br;q=0.5, identity;q=0.5", true],
  ["br;v=1;q=0", false],
  ["br;q=x", false],
  ["gzip, deflate", false],
  ["brotli", false],
  ["identity", false],
  ["", false],
])("Accept-Encoding: %s accepts Brotli: %s", (header, expected) => {
  expect(acceptsEncoding(header, "br")).toBe(expected);
});
