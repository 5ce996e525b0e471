import type { Context, SQSEvent } from "aws-lambda";
import { log } from "../../../functions/http/log.ts";
import { mailNotice } from "../functions/mails.ts";
import { sendBySes } from "../functions/ses.ts";

/**
 * Mails the notices that a rule of the bus has put into the queue, each to the person whom it is about.
 *
 * @throws Error if one could not be mailed: the queue hands it out again. It says nothing else, because Lambda logs it
 */
export async function handler({ Records }: SQSEvent, context: Context): Promise<void> {
  const line = { request_id: context.awsRequestId, route: "mail-notice" } as const;
  for (const { body } of Records) {
    try {
      const outcome = await mailNotice(JSON.parse(body).detail, { send: sendBySes, now: new Date() });
      if (outcome === "refused") log({ ...line, level: "error", code: "mail_refused", message: "SES refused a mail" });
      if (outcome === "too_many")
        log({ ...line, level: "warn", code: "mail_limit", message: "An account has had the mails of a day" });
    } catch (error) {
      log({ ...line, level: "error", code: "mail_failed", message: "A mail was not sent; it is tried again", error });
      throw new Error("A mail was not sent");
    }
  }
}
