import { expect, test } from "@jest/globals";
import { bytesInWords, lastUse, localeOf } from "../../dashboard/src/format.ts";

const now = Date.parse("2026-05-01T12:00:00Z");
const in_ = (hours: number) => new Date(now + hours * 3_600_000).toISOString();

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1_024, "1 KiB"],
  [1_536, "1.5 KiB"],
  [1_024 ** 2 - 1, "1 MiB"],
  [500 * 1_024 ** 2, "500 MiB"],
  [50 * 1_024 ** 3, "50 GiB"],
  [5_000 * 1_024 ** 3, "5,000 GiB"],
])("%d bytes are shown as %s, in the units of the limits", (bytes, words) => {
  expect(bytesInWords(bytes)).toBe(words);
});

test.each([
  [0, "within the last hour"],
  [-0.9, "within the last hour"],
  [-1.5, "about 1 hour ago"],
  [-23.9, "about 23 hours ago"],
  [-49, "2 days ago"],
])("a use that was recorded %d hours from now is shown as %s", (hours, words) => {
  expect(lastUse(in_(hours), now)).toBe(words);
});

test.each([
  ["de", "de"],
  ["pt-br", "pt-BR"],
  ["C", "en"],
  [undefined, "en"],
])("for the language %s of the browser, numbers and dates are written as in %s", (language, locale) => {
  expect(localeOf(language)).toBe(locale);
});
