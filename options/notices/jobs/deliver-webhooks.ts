import type { Context } from "aws-lambda";
import { log } from "../../../functions/http/log.ts";
import { deliverToWebhooks } from "../functions/webhook-delivery.ts";
import { sendWebhook } from "../functions/webhook-request.ts";

/** Time that a delivery may still take once it has begun, and what is stored of it. */
const reserveMilliseconds = 15_000;

/**
 * Sends what is due to the webhooks of projects. No URL, body or error of a receiver is logged: the project's page shows what came of
 * each delivery.
 *
 * @throws the error that kept it from delivering, which counts as a failure of the function
 */
export async function handler(_: unknown, context: Context): Promise<void> {
  const { delivered, retried, failed } = await deliverToWebhooks({
    send: sendWebhook,
    now: new Date(),
    hasTime: () => context.getRemainingTimeInMillis() > reserveMilliseconds,
  });
  if (delivered + retried + failed === 0) return;
  const message = `Webhooks: ${delivered} delivered, ${retried} to be sent again, ${failed} failed`;
  log({ request_id: context.awsRequestId, route: "deliver-webhooks", level: "info", message });
}
