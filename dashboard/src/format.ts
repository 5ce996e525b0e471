const units: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

// Made when a time is first shown and kept: to make one takes longer than to draw the row that shows it.
let inWords: Intl.RelativeTimeFormat | undefined;
let toTheMinute: Intl.DateTimeFormat | undefined;

/** A time from now on in words: "3 days ago", "in 2 months", "just now". */
export function relativeTime(time: string, now = Date.now()): string {
  const seconds = (Date.parse(time) - now) / 1_000;
  const unit = units.find(([, length]) => Math.abs(seconds) >= length);
  if (unit === undefined) return "just now";
  inWords ??= new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  return inWords.format(Math.trunc(seconds / unit[1]), unit[0]);
}

/** A time to the minute, in the reader's time zone. */
export function exactTime(time: string): string {
  toTheMinute ??= new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
  return toTheMinute.format(new Date(time));
}

/** Whole days until a time, rounded up. */
export function daysUntil(time: string, now = Date.now()): number {
  return Math.ceil((Date.parse(time) - now) / 86_400_000);
}

export function bytesInWords(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [value, unit] =
    bytes < 999_500 ? [bytes / 1_000, "kB"] : bytes < 999_500_000 ? [bytes / 1e6, "MB"] : [bytes / 1e9, "GB"];
  return `${value >= 100 ? Math.round(value) : value.toFixed(1)} ${unit}`;
}

/** "1 file", "2 files". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
