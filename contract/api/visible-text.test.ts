import { expect, test } from "@jest/globals";
import { hasHiddenCharacters, withoutHiddenCharacters } from "./visible-text.ts";

test.each([
  ["a right-to-left override", "Ada\u202eevoL", "AdaevoL"],
  ["an isolate", "\u2066Ada\u2069", "Ada"],
  ["a zero-width space", "\u200b", ""],
  ["a soft hyphen", "A\u00adda", "Ada"],
  ["a joiner in Latin", "A\u200dda", "Ada"],
  ["a joiner at the end", "Ada\u200d", "Ada"],
  ["a joiner between words", "Да \u200dша", "Да ша"],
  ["a byte order mark", "\ufeffAda", "Ada"],
  ["a Hangul filler", "\u3164", ""],
  ["a Braille blank", "\u2800", ""],
  ["a line separator", "A\u2028B", "AB"],
  ["a tag character", "Ada\u{e0041}", "Ada"],
  ["a variation selector", "A\ufe0fda", "Ada"],
  ["a control character", "A\tB", "A B"],
])("%s is hidden", (_, text, visible) => {
  expect(hasHiddenCharacters(text)).toBe(true);
  expect(withoutHiddenCharacters(text)).toBe(visible);
});

test.each([
  "Ada Lovelace",
  "Zoë",
  "Даша",
  "נועה",
  "می\u200cخواهم",
  "क्\u200dष",
  "👩\u200d🚀",
  "❤\ufe0f",
  "1\ufe0f\u20e3",
  "👍🏽",
])("%s is shown as it is", (text) => {
  expect(hasHiddenCharacters(text)).toBe(false);
  expect(withoutHiddenCharacters(text)).toBe(text);
});
