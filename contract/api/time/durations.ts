/**
 * Duration until a time, as the command line and the dashboard say it: to the nearest day from 36 hours on, to the nearest hour from one
 * hour on, below that to the nearest minute. So 7 days less a second are "7 days".
 */
export function durationUntil(time: string, now: number): string {
  const minutes = Math.round(Math.max(0, Date.parse(time) - now) / 60_000);
  if (minutes >= 36 * 60) return counted(Math.round(minutes / 1_440), "day");
  if (minutes >= 60) return counted(Math.round(minutes / 60), "hour");
  return minutes === 0 ? "less than a minute" : counted(minutes, "minute");
}

function counted(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
