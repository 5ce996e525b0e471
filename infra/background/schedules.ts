import { optionJobs } from "../settings/stage-option.ts";

/** The functions on a schedule, by the names of their bundles: a file each in functions/jobs/ or in an option's jobs/. */
export function schedules(): string[] {
  return [...scheduledOf({}), "publish-scheduled", "sweep", "write-pointers"];
}

/** The functions that take messages of queues. */
export function queued(): string[] {
  return [...optionJobs().queued, "check-copies"];
}

/** The schedules that only a stage with games has. */
export function gamesSchedules(): string[] {
  return [...optionJobs().scheduledWithGames, "write-pointers"];
}

/** The schedules that a stage has. */
export function schedulesOf(stage: { readonly gamesDomain?: unknown }): string[] {
  const ofOptions = scheduledOf(stage);
  const others = scheduledOf({}).filter((job) => !ofOptions.includes(job));
  const withGames = gamesSchedules();
  return schedules().filter(
    (job) => !others.includes(job) && (stage.gamesDomain !== undefined || !withGames.includes(job)),
  );
}

function scheduledOf(stage: object): string[] {
  const { scheduled, scheduledWithGames } = optionJobs(stage);
  return [...scheduledWithGames, ...scheduled];
}
