import { dayMilliseconds } from "../limits.ts";
import { serverNow } from "./server-time.ts";

/** The first of so many days, the last of which is today, in UTC: `2026-11-25`. */
export function firstOfDays(days: number): string {
  return new Date(serverNow() - (days - 1) * dayMilliseconds).toISOString().slice(0, 10);
}
