import { expect, test } from "@jest/globals";
import {
  bytesInWords,
  counted,
  durationInWords,
  lastingTime,
  lastUse,
  localeOf,
  relativeTime,
} from "../../dashboard/src/format.ts";

const now = Date.parse("2026-05-01T12:00:00Z");
const in_ = (hours: number) => new Date(now + hours * 3_600_000).toISOString();

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [999.5 * 1_024, "1 MiB"],
  [1_024, "1 KiB"],
  [99.9 * 1_024, "99.9 KiB"],
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
  [-24, "yesterday"],
  [-49, "2 days ago"],
])("a use that was recorded %d hours from now is shown as %s", (hours, words) => {
  expect(lastUse(in_(hours), now)).toBe(words);
});

test.each([
  ["de", "en-DE"],
  ["pt-br", "en-BR"],
  ["ar", "en-EG"],
  ["C", "en-US"],
  [undefined, "en-US"],
])("for the language %s of the browser, dates are written as in %s", (language, locale) => {
  expect(localeOf(language)).toBe(locale);
});

const [minute, hour, day] = [60, 3_600, 86_400];

test.each([
  [-20, "for less than a minute"],
  [59, "for less than a minute"],
  [minute, "for 1 minute"],
  [3 * minute, "for 3 minutes"],
  [2 * day - 1, "for 1 day"],
  [60 * day, "for 2 months"],
])("what began %d seconds ago lasts %s", (seconds, words) => {
  expect(lastingTime(new Date(now - seconds * 1_000).toISOString(), now)).toBe(words);
});

test.each([
  [-20, "just now"],
  [59, "just now"],
  [minute, "1 minute ago"],
  [2 * minute - 1, "1 minute ago"],
  [hour, "1 hour ago"],
  [2 * day - 1, "yesterday"],
  [29 * day, "29 days ago"],
  [30 * day, "last month"],
  [364 * day, "12 months ago"],
  [365 * day, "last year"],
])("%d seconds after a time it is shown as %s", (seconds, words) => {
  expect(relativeTime(new Date(now - seconds * 1_000).toISOString(), now)).toBe(words);
});

test.each([
  [0, "0 files"],
  [1, "1 file"],
  [1_234, "1,234 files"],
])("%d of them are counted as %s", (count, words) => {
  expect(counted(count, "file")).toBe(words);
});

test.each([
  [0, "1 s"],
  [1.1, "2 s"],
  [minute, "1 min"],
  [61, "2 min"],
  [59.5 * minute, "60 min"],
  [hour, "1 h"],
  [hour + 1, "2 h"],
])("what takes %d s takes %s in words", (seconds, words) => {
  expect(durationInWords(seconds)).toBe(words);
});
