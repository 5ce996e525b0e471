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
  /** The projects whose sweep began and did not end, each with how often it began. */
  readonly attempts: Readonly<Record<string, number>>;
}
