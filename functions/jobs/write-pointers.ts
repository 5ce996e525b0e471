import type { Context } from "aws-lambda";
import { makeRoom, writePointers } from "../domain/projects/pointers.ts";
import { log } from "../http/log.ts";

/** Time that a read of the table may still take once it has begun. */
const reserveMilliseconds = 10_000;

/** Hour of the day, in UTC. */
const roomHour = 4;

/**
 * Writes the pointers that a request could not write to the games' edge. Once a day it makes room in the edge's store.
 *
 * @throws the error that kept it from writing, which counts as a failure of the function
 */
export async function handler(_: unknown, context: Context): Promise<void> {
  const signal = AbortSignal.timeout(context.getRemainingTimeInMillis() - reserveMilliseconds);
  const line = { level: "error", request_id: context.awsRequestId, route: "write-pointers" } as const;
  const { refused } = await writePointers(signal);
  if (refused.length > 0) {
    const message = `The games' edge refuses the pointers of ${refused.length} changes`;
    log({ ...line, code: "pointer_refused", message });
  }
  const now = new Date();
  if (now.getUTCHours() === roomHour && now.getUTCMinutes() === 0) await makeRoom(signal);
}
