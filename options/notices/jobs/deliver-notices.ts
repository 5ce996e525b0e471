import type { Context } from "aws-lambda";
import * as environment from "../../../functions/environment.ts";
import { log } from "../../../functions/http/log.ts";
import { deliverNotices } from "../functions/delivery.ts";
import { sendToBus } from "../functions/event-bridge.ts";
import { sendToLog } from "../functions/notice-log.ts";

/** Time that a request may still take once it has begun. */
const reserveMilliseconds = 15_000;

/**
 * Delivers the notices that are due: to the stage's bus, or to the log if there is none. What could not be delivered is
 * tried again by the next run.
 *
 * @throws the error that kept it from delivering, which counts as a failure of the function
 */
export async function handler(_: unknown, context: Context): Promise<void> {
  const { delivered, refused, deadLettered, unreadable } = await deliverNotices({
    send: environment.eventBusName() === undefined ? sendToLog : sendToBus,
    now: new Date(),
    hasTime: () => context.getRemainingTimeInMillis() > reserveMilliseconds,
  });
  const line = { request_id: context.awsRequestId, route: "deliver-notices" } as const;
  for (const id of unreadable) {
    const message = `The notice ${id} is a dead letter: its time cannot be read`;
    log({ ...line, level: "error", code: "notice_dead_lettered", message });
  }
  if (deadLettered > 0)
    log({
      ...line,
      level: "error",
      code: "notice_dead_lettered",
      message: `${deadLettered} notices were refused for a day`,
    });
  else if (refused > 0)
    log({
      ...line,
      level: "warn",
      code: "notice_refused",
      message: `${refused} notices refused, ${delivered} delivered`,
    });
}
