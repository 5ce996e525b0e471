import { setTimeout as delay } from "node:timers/promises";
import type { Context } from "aws-lambda";
import { writePointers } from "../domain/projects/pointers.ts";
import { publishScheduled, type ScheduleClock } from "../domain/releases/scheduling.ts";
import * as environment from "../environment.ts";
import { log } from "../http/log.ts";

/** Time that writing to the games' edge may still take. */
const reserveMilliseconds = 2_000;

const clock: ScheduleClock = {
  now: () => new Date(),
  waitUntil: async (time) => {
    // A timer may end a moment early.
    for (let rest = remaining(time); rest > 0; rest = remaining(time)) await delay(rest);
  },
};

function remaining(time: Date): number {
  return time.getTime() - Date.now();
}

/**
 * Makes scheduled releases live, at their time.
 *
 * @throws the first error that kept it from one, which counts as a failure of the function
 */
export async function handler(_: unknown, context: Context): Promise<void> {
  const until = new Date(Date.now() + environment.scheduleWaitSeconds() * 1_000);
  const { published, ended, failures } = await publishScheduled(until, clock);
  const line = { level: "info", request_id: context.awsRequestId, route: "publish-scheduled" } as const;
  if (published + ended.length > 0)
    log({ ...line, message: `${published} scheduled releases are live, and ${ended.length} schedules ended` });
  // What a minute's requests may not write waits otherwise for the next run of another job.
  if (published > 0 && environment.gamesStoreArn() !== undefined)
    await writePointers(AbortSignal.timeout(context.getRemainingTimeInMillis() - reserveMilliseconds));
  if (failures.length > 0) throw failures[0];
}
