import type { Key } from "../../../functions/table/keys.ts";
import { statisticsPartition } from "../../../functions/table/projects/statistics-items.ts";
import type { MonthlyTraffic } from "./monthly-traffic.ts";

/** Traffic of a project: what players got of it in a month such as `2026-11`. */
export function trafficKey(slug: string, month: string): Key<MonthlyTraffic> {
  return { PK: statisticsPartition(slug), SK: `MONTH#${month}` };
}

/** The same of all projects of an account. */
export function accountTrafficKey(key: string, month: string): Key<MonthlyTraffic> {
  return { PK: `TRAFFIC#${key}`, SK: month };
}
