import type { Context } from "aws-lambda";
import { log } from "../../../functions/http/log.ts";
import { query } from "../functions/athena.ts";
import { requestsByCloudFront } from "../functions/cloudfront-requests.ts";
import { countDay, daysToCount, findLogGap, isOnceAnHour } from "../functions/counting.ts";

/**
 * Counts how games are played, from their access log (docs/decisions/0071-how-a-game-is-played.md): each day that may have
 * new rows, whole, so that a further run changes nothing but what late rows add. A project that is over the stage's limit of
 * traffic is limited (docs/decisions/0071-how-a-game-is-played.md#a-limit-of-traffic). Once an hour it compares the log
 * with the requests that CloudFront has counted.
 *
 * @throws Error if the log, the table or the metric cannot be read; the next run counts the same days
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
  const gap = isOnceAnHour(now) ? await findLogGap(query, requestsByCloudFront, now) : undefined;
  if (gap === undefined) return;
  const message = `${gap.day}: of ${gap.requests} requests that CloudFront counted the access log has ${gap.logged}`;
  log({ ...line, level: "error", code: "access_log_stopped", message });
}
