/** The functions on a schedule, by the names of their bundles: one file of functions/jobs each. */
export const schedules = ["deliver-notices", "sweep", "write-pointers"] as const;
export type ScheduleName = (typeof schedules)[number];
