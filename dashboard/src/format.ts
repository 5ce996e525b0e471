import { dayMilliseconds } from "../../contract/api/limits.ts";
import { durationUntil } from "../../contract/api/time/durations.ts";
import { serverNow } from "../../contract/api/time/server-time.ts";
import { urlPathOf } from "../../contract/folder/url-path.ts";

const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

/** Dates are English, as the words around them are, in the order of the reader's region: 28 Nov or Nov 28. Numbers are as on the terminal. */
const datesLocale = localeOf(globalThis.navigator?.language);

/** English for the region of a language. A system without a language calls it `C`, which is none to Intl. */
export function localeOf(language = "en"): string {
  try {
    return `en-${new Intl.Locale(language).maximize().region ?? "US"}`;
  } catch {
    return "en-US";
  }
}

// Made when a time is first shown and kept: to make one takes longer than to draw the row that shows it.
let inWords: Intl.RelativeTimeFormat | undefined;
let toTheMinute: Intl.DateTimeFormat | undefined;

/** A time from now on in words: "3 days ago", "just now", "in 90 days". */
export function relativeTime(time: string, now = serverNow()): string {
  const seconds = (now - Date.parse(time)) / 1_000;
  // Clocks differ: what has just happened may seem to be a few seconds ahead.
  if (seconds <= -60) return `in ${durationUntil(time, now)}`;
  const unit = units.find(([, length]) => seconds >= length);
  if (unit === undefined) return "just now";
  inWords ??= new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  return inWords.format(-Math.floor(seconds / unit[1]), unit[0]);
}

/** How long something has lasted, in words: "for 3 minutes". @param time when it began */
export function lastingTime(time: string, now = serverNow()): string {
  const seconds = (now - Date.parse(time)) / 1_000;
  const unit = units.find(([, length]) => seconds >= length);
  return `for ${unit === undefined ? "less than a minute" : counted(Math.floor(seconds / unit[1]), unit[0])}`;
}

/** A time to the minute, in the reader's time zone. */
export function exactTime(time: string): string {
  toTheMinute ??= new Intl.DateTimeFormat(datesLocale, { dateStyle: "medium", timeStyle: "short" });
  return toTheMinute.format(new Date(time));
}

/**
 * The last use of a token in words. It is recorded at most once an hour (contract/api/limits.ts: `lastUsedIntervalSeconds`), so
 * no smaller unit would be true.
 */
export function lastUse(recorded: string, now = serverNow()): string {
  const minutes = (now - Date.parse(recorded)) / 60_000;
  if (minutes < 60) return "within the last hour";
  return minutes < 24 * 60 ? `about ${relativeTime(recorded, now)}` : relativeTime(recorded, now);
}

/** 1,536 bytes as "1.5 KiB": the units that the limits are given in. */
export function bytesInWords(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB"];
  let value = bytes;
  let unit = 0;
  for (; value >= 999.5 && unit < units.length - 1; unit += 1) value /= 1_024;
  const maximumFractionDigits = unit === 0 || value >= 100 ? 0 : 1;
  return `${value.toLocaleString("en", { maximumFractionDigits })} ${units[unit]}`;
}

/** A number with no more digits after the point than are given. */
export function number(value: number, maximumFractionDigits = 0): string {
  return value.toLocaleString("en", { maximumFractionDigits });
}

const shortDay = { day: "numeric", month: "short", timeZone: "UTC" } as const;

/** A day in UTC, by its number since 1970-01-01. */
export function dayInWords(day: number): string {
  return new Date(day * dayMilliseconds).toLocaleDateString(datesLocale, shortDay);
}

/** The time of day at which an hour begins, in the reader's time zone. @param time epoch milliseconds */
export function hourInWords(time: number): string {
  return new Date(time).toLocaleTimeString(datesLocale, { hour: "numeric", minute: "2-digit" });
}

/** "1 file", "2 files". */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}

/** Duration, no more exact than anybody can know: "5 s", "3 min", "2 h". */
export function durationInWords(seconds: number): string {
  if (seconds < 60) return `${Math.max(1, Math.ceil(seconds))} s`;
  if (seconds < 3_600) return `${Math.ceil(seconds / 60)} min`;
  return `${Math.ceil(seconds / 3_600)} h`;
}

/** The URL of one of a game's files. @param home the game's URL, which ends with a slash */
export function fileUrl(home: string, path: string): string {
  return home + urlPathOf(path);
}
