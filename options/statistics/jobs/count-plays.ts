import type { Context } from "aws-lambda";
import { log } from "../../../functions/http/log.ts";
import { query } from "../functions/athena.ts";
import { countDay, daysToCount, hasLogStopped, isOnceAnHour } from "../functions/counting.ts";

/**
 * Counts how games are played, from their access log (docs/decisions/0071-how-a-game-is-played.md): each day that may have
 * new rows, whole, so that a further run changes nothing but what late rows add. A project that is over the stage's limit of
 * traffic is limited (docs/decisions/0071-how-a-game-is-played.md#a-limit-of-traffic). Once an hour it looks whether the log has stopped.
 *
 * @throws Error if the log or the table cannot be read; the next run counts the same days
 */
export async function handler(_: unknown, context: Context): Promise<void> {
  const now = new Date();
  const line = { request_id: context.awsRequestId, route: "count-plays" } as const;
  for (const day of daysToCount(now)) {
    const { projects, written, overLimit } = await countDay(day, query, now);
    const message = `${day}: ${projects} projects were played, ${written} statistics have changed`;
    log({ ...line, level: "info", message });
    for (const slug of overLimit)
      log({ ...line, level: "error", code: "traffic_limit_reached", message: `${slug} is over its limit of traffic` });
  }
  if (isOnceAnHour(now) && (await hasLogStopped(query, now)))
    log({ ...line, level: "error", code: "access_log_stopped", message: "No request of players is logged any more" });
}
