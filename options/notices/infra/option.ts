import type { StackOption } from "../../../infra/option.ts";
import { mailAlarms, noticeAlarms, webhookAlarms } from "./notice-alarms.ts";
import { NoticeMails } from "./notice-mails.ts";
import { Notices, tellOfRequests, Webhooks } from "./notices.ts";

/** The bus and its delivery, what tells webhooks, and the mails if the stage has a sender. */
export const notices: StackOption = {
  addTo: (scope, { code, ...parts }) => {
    const { notices: isWanted = true, mailFrom } = parts.stage;
    if (!isWanted) return undefined;
    const { bus, delivery } = new Notices(scope, "Notices", { ...parts, code: code("deliver-notices") });
    const webhooks = new Webhooks(scope, "Webhooks", { ...parts, code: code("deliver-webhooks") });
    const mails =
      mailFrom === undefined
        ? undefined
        : new NoticeMails(scope, "NoticeMails", { ...parts, from: mailFrom, code: code("mail-notice"), bus });
    return {
      bus,
      tell: (alarms, topic) => {
        if (parts.stage.developers?.approval) tellOfRequests(alarms, { bus, topic, stage: parts.stage });
      },
      alarms: (logged) => [
        ...noticeAlarms(delivery.lambda, logged("NoticesDeadLettered", "notice_dead_lettered")),
        ...webhookAlarms(webhooks.lambda),
        ...(mails ? mailAlarms(mails, logged("MailsRefused", "mail_refused")) : []),
      ],
    };
  },
};
