import { expect, test } from "@jest/globals";
import {
  hasColour,
  humanBytes,
  printable,
  printableJson,
  printableLines,
  styles,
  table,
  withoutTokens,
  wrapped,
} from "./text.ts";

test.each([
  ["of a message", withoutTokens],
  ["from outside", printable],
  ["of several lines", printableLines],
  ["of JSON", (text: string) => JSON.parse(printableJson([text]))[0]],
])("in text %s everything that looks like a token is masked, a mistyped one too", (_, shown) => {
  const token = `pat_${"a".repeat(60)}`;
  expect(shown(`--token=${token} and ${token.slice(0, 30)}!`)).toBe("--token=pat_… and pat_…!");
  expect(shown("pat_…wxyz in patterns")).toBe("pat_…wxyz in patterns");
});

test("text from outside is printed on one line, without control characters", () => {
  expect(printable("a\u001b[31mb\r\nc\u202ed\u2028e")).toBe("a [31mb c d e");
});

test("lines keep svc's styles and line ends, and lose all other control characters", () => {
  const { bold, red } = styles(true);
  const own = `${bold("a")}\n${red("b")}`;
  expect(printableLines(own)).toBe(own);
  expect(printableLines("a\u001b[8mb\u009b2Jc\rd\te")).toBe("a [8mb 2Jc d e");
});

test("lines are broken between words, as wide as the screen, and indented as they began", () => {
  const { red } = styles(true);
  expect(wrapped("one two three\n  next: four five", 12)).toBe("one two\nthree\n  next: four\n  five");
  expect(wrapped(`${red("error:")} a b`, 10)).toBe(`${red("error:")} a b`);
  expect(wrapped("see https://games.example/ there", 10)).toBe("see\nhttps://games.example/\nthere");
  for (const columns of [0, undefined]) expect(wrapped("one two three", columns)).toBe("one two three");
});

test("JSON escapes control characters and keeps its meaning", () => {
  const document = { name: "\u001b\u009b\u202e\u2028\u{e0001}é\n" };
  expect(printableJson(document)).toBe(String.raw`{"name":"\u001b\u009b\u202e\u2028\udb40\udc01é\n"}`);
  expect(JSON.parse(printableJson(document, 2))).toEqual(document);
});

test("colour is for terminals without NO_COLOR and TERM=dumb", () => {
  expect(hasColour({ isTTY: true }, {})).toBe(true);
  expect(hasColour({ isTTY: true }, { NO_COLOR: "" })).toBe(true);
  expect(hasColour({ isTTY: true }, { NO_COLOR: "1" })).toBe(false);
  expect(hasColour({ isTTY: true }, { TERM: "dumb" })).toBe(false);
  expect(hasColour({}, {})).toBe(false);
});

test("bytes are printed with the units of the limits", () => {
  const sizes = [0, 1.599995, 999, 999.7, 1_024, 999_949, 1_048_576, 12_345_678, 50 * 2 ** 30, 5e12];
  expect(sizes.map(humanBytes)).toEqual([
    "0 B",
    "2 B",
    "999 B",
    "1 KiB",
    "1 KiB",
    "977 KiB",
    "1 MiB",
    "11.8 MiB",
    "50 GiB",
    "4.5 TiB",
  ]);
});

test("labels are padded before they are styled", () => {
  expect(
    table(
      [
        ["a", "1"],
        ["bcd", "2"],
      ],
      (label) => `<${label}>`,
    ),
  ).toBe("  <a  >  1\n  <bcd>  2");
});
