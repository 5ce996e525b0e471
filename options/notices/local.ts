/** Notices go to the log, in this process. */
export const notices = {
  name: "notices",
  settings: {
    SVC_NOTICES_SECONDS: "seconds between two deliveries of notices to the log, 5 by default; 0: none",
  },
  schedules: [{ name: "deliver-notices", setting: "SVC_NOTICES_SECONDS", seconds: 5 }],
} as const;
