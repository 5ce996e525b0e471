import { publishScheduled, type ScheduleRun } from "../../../functions/domain/releases/scheduling.ts";

/** Runs the job of scheduled releases at a time, which it never waits for. */
export function publishScheduledAt(now: Date): Promise<ScheduleRun> {
  return publishScheduled(now, { now: () => now, waitUntil: async () => undefined });
}

/** So many seconds after a time. */
export function secondsAfter(at: string, seconds: number): Date {
  return new Date(Date.parse(at) + seconds * 1_000);
}
