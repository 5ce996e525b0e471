import { dayMilliseconds } from "../../../contract/api/limits.ts";
import { dayOf } from "../../table/accounts/creation-counts.ts";

/** Days in UTC, such as `2026-11-25`, both included. */
export interface Period {
  readonly from: string;
  readonly to: string;
}

/** The days that a request names, if it does. */
export type WantedPeriod = { readonly [End in keyof Period]?: string | undefined };

/** The days that a request without them is about. */
const usualDays = 30;

/** The period that a request names, or the last 30 days; no more than the last `maxDays` days of it. */
export function periodOf(wanted: WantedPeriod, maxDays: number, now: Date): Period {
  const { to = dayOf(now) } = wanted;
  return { from: laterDay(wanted.from ?? firstDay(to, usualDays), firstDay(to, maxDays)), to };
}

/** The first of so many days that end with `to`. */
export function firstDay(to: string, days: number): string {
  return dayOf(new Date(Date.parse(to) - (days - 1) * dayMilliseconds));
}

export function laterDay(a: string, b: string): string {
  return a > b ? a : b;
}
