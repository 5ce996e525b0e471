import { optionJobs } from "../options/stage.ts";

/** The functions on a schedule, by the names of their bundles: a file each in functions/jobs/ or in an option's jobs/. */
export const schedules: readonly string[] = ["count-plays", ...optionJobs().scheduled, "sweep", "write-pointers"];

/** The schedules that only a stage with games has. */
export const gamesSchedules: readonly string[] = ["count-plays", "write-pointers"];

/** The schedules that a stage has. */
export function schedulesOf(stage: { readonly gamesDomain?: unknown }): string[] {
  const ofOptions = optionJobs(stage).scheduled;
  const others = optionJobs().scheduled.filter((job) => !ofOptions.includes(job));
  return schedules.filter(
    (job) => !others.includes(job) && (stage.gamesDomain !== undefined || !gamesSchedules.includes(job)),
  );
}
