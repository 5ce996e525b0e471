import type { Sweep } from "../../../functions/domain/sweep/project-sweep.ts";

/** A sweep that has enough time, `later` milliseconds from now; by default it keeps nothing but the live release. */
export function sweepOf({ releases = 1, days = 0, later = 0 } = {}): Sweep {
  return { retention: { releases, days }, now: () => new Date(Date.now() + later), hasTime: () => true };
}
