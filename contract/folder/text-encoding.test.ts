import { expect, test } from "@jest/globals";
import { textIn } from "./text-encoding.ts";

const text = "/geheim/\r\nentwürfe/\n";
const little = Buffer.from(text, "utf16le");

test.each([
  ["UTF-8", Buffer.from(text)],
  ["UTF-8 with a mark", Buffer.from(`\ufeff${text}`)],
  ["UTF-16 with a mark", Buffer.from(`\ufeff${text}`, "utf16le")],
  ["big-endian UTF-16 with a mark", Buffer.from(`\ufeff${text}`, "utf16le").swap16()],
  ["UTF-16 without a mark", little],
  ["big-endian UTF-16 without a mark", Buffer.from(little).swap16()],
])("%s is read", (_, bytes) => {
  expect(textIn(bytes)).toBe(text);
});

test.each(["", "a", "\0"])("%j is read", (short) => {
  expect(textIn(Buffer.from(short))).toBe(short);
});
