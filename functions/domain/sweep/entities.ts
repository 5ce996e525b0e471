/** How far the sweep of all projects is (functions/domain/sweep/projects.ts). */
export interface SweepState {
  /** Until then no other run begins. */
  readonly leaseEndsAt: string;
  /** When the current round began; in a round all projects are swept once. */
  readonly beganAt: string;
  /** When all projects were swept; missing while the round goes on. */
  readonly endedAt?: string;
  /** The last project whose sweep began in this round. */
  readonly after?: string;
  /** The projects whose sweep began and did not end. */
  readonly again: readonly string[];
  /** The one that is being swept, or whose sweep stopped the last run; `attempt` counts the runs that ended so. */
  readonly sweeping?: SweepAttempt;
}

export interface SweepAttempt {
  readonly slug: string;
  /** 1 for the first. */
  readonly attempt: number;
}
