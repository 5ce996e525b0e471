import * as z from "zod/mini";
import type { InfraOption } from "../../infra/option.ts";
import { access } from "./functions/access.ts";
import { noticeChecks } from "./infra/smoke.ts";

const settings = {
  /** False: the stage sends no notice and no mail, tells no webhook, and stores nothing to be sent. */
  notices: z.optional(z.boolean("must be true or false")),
  /** False: nobody gets a mail when releases of their projects change. The bus and the history have it all the same. */
  releaseMails: z.optional(z.boolean("must be true or false")),
  /**
   * Sender of notices to the persons whom they are about: an address, or `name <address>`. Set it once SES has verified the address or
   * its domain (docs/notices.md); without it nobody gets a mail.
   */
  mailFrom: z.optional(
    z
      .string()
      .check(
        z.regex(
          /^(?:[a-z0-9._+-]+@(?:[a-z0-9-]+\.)+[a-z]{2,}|\w[\w .-]{0,62} <[a-z0-9._+-]+@(?:[a-z0-9-]+\.)+[a-z]{2,}>)$/,
          "must be an email address in lower case, or a name and one such as svc <no-reply@example.com>",
        ),
      ),
  ),
};

type NoticeSettings = typeof settings;
declare module "../../infra/settings/stage-option.ts" {
  interface OptionSettings extends NoticeSettings {}
}

export const notices: InfraOption = {
  name: "notices",
  settings,
  access,
  scheduled: ["deliver-notices", "deliver-webhooks"],
  // A schedule's event may be delivered twice, but two runs at once would deliver notices twice and out of order.
  oneAtATime: ["deliver-notices", "deliver-webhooks"],
  queued: ["mail-notice"],
  environment: { NOTICES: "1" },
  checks: noticeChecks,
};
