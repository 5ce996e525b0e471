import * as z from "zod/mini";

export const notices = {
  name: "notices",
  settings: {
    /** False: the stage sends no notice and no mail, and stores none to be sent. */
    notices: z.optional(z.boolean("must be true or false")),
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
  },
  scheduled: ["deliver-notices"],
  // A schedule's event may be delivered twice, but two runs at once would deliver notices twice and out of order.
  oneAtATime: ["deliver-notices"],
  queued: ["mail-notice"],
};
