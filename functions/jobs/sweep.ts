import type { Context } from "aws-lambda";
import type { StoredItems } from "../domain/projects/stored-items.ts";
import { sweepProjects } from "../domain/sweep/projects.ts";
import * as environment from "../environment.ts";
import { log } from "../http/log.ts";

/** A deletion that has begun finishes within a minute. */
const reserveMilliseconds = 90_000;

/** Sweeps projects without options. */
export const handler = sweepWith([]);

/**
 * Deletes what no kept release of a project needs (docs/decisions/0016-sweep.md), project after project; and what options store in
 * projects that are closed for good.
 *
 * @returns the function's handler. It throws if projects could not be swept, which counts as a failure; the next run tries again
 */
export function sweepWith(stored: readonly StoredItems[]) {
  return (_: unknown, context: Context) => sweep(stored, context);
}

async function sweep(stored: readonly StoredItems[], context: Context): Promise<void> {
  const run = await sweepProjects({
    stored,
    retention: { releases: environment.keptReleases(), days: environment.keptDays() },
    now: () => new Date(),
    hasTime: () => context.getRemainingTimeInMillis() > reserveMilliseconds,
  });
  if (run === undefined) return;
  const line = { request_id: context.awsRequestId, route: "sweep" } as const;
  for (const { slug, error } of run.failures)
    log({ ...line, level: "error", code: "sweep_failed", message: `The project ${slug} could not be swept`, error });
  const { projects, endedReleases, deletedObjects, failures } = run;
  const did = `${projects} projects swept, ${endedReleases} releases ended, ${deletedObjects} objects deleted`;
  log({ ...line, level: "info", message: did });
  if (failures.length > 0) throw new Error(`${failures.length} projects could not be swept`);
}
