import type { LocalOption } from "../../local/option.ts";

/** Notices go to the log, in this process, and to webhooks. */
export const notices: LocalOption = {
  name: "notices",
  settings: {
    SVC_NOTICES_SECONDS: "seconds between two deliveries of notices to the log, 5 by default, and to webhooks; 0: none",
    SVC_WEBHOOKS_LOCAL: "1: webhooks may be http://localhost URLs of this machine",
  },
  environment: { NOTICES: "1" },
  schedules: [
    { name: "deliver-notices", setting: "SVC_NOTICES_SECONDS", seconds: 5 },
    { name: "deliver-webhooks", setting: "SVC_NOTICES_SECONDS", seconds: 5 },
  ],
};
