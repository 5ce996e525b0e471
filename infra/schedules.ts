/** The functions on a schedule, by the names of their bundles: one file of functions/jobs each. */
export const schedules = ["count-plays", "deliver-notices", "sweep", "write-pointers"] as const;
export type ScheduleName = (typeof schedules)[number];

/** The schedules that only a stage with games has. */
export const gamesSchedules: readonly ScheduleName[] = ["count-plays", "write-pointers"];
