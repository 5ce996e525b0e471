import { optionJobs } from "../../options/stage.ts";

/** The functions on a schedule, by the names of their bundles: a file each in functions/jobs/ or in an option's jobs/. */
export const schedules: readonly string[] = [...scheduledOf({}), "sweep", "write-pointers"];

/** The functions that take messages of queues. */
export const queued: readonly string[] = [...optionJobs().queued, "check-copies"];

/** The schedules that only a stage with games has. */
export const gamesSchedules: readonly string[] = [...optionJobs().scheduledWithGames, "write-pointers"];

/** The schedules that a stage has. */
export function schedulesOf(stage: { readonly gamesDomain?: unknown }): string[] {
  const ofOptions = scheduledOf(stage);
  const others = scheduledOf({}).filter((job) => !ofOptions.includes(job));
  return schedules.filter(
    (job) => !others.includes(job) && (stage.gamesDomain !== undefined || !gamesSchedules.includes(job)),
  );
}

function scheduledOf(stage: object): string[] {
  const { scheduled, scheduledWithGames } = optionJobs(stage);
  return [...scheduledWithGames, ...scheduled];
}
