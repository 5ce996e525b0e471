import { setTimeout as delay } from "node:timers/promises";

/** Today in UTC, for a test file that takes less than a minute: if the day is about to end, waits for the next one. */
export async function oneDay(): Promise<string> {
  const left = 86_400_000 - (Date.now() % 86_400_000);
  if (left < 60_000) await delay(left);
  return new Date().toISOString().slice(0, 10);
}
