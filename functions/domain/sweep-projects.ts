import { projectsAfter, readSweepState, storeSweepState } from "../table/sweep-runs.ts";
import type { SweepState } from "./entities.ts";
import { type Sweep, sweepProject } from "./sweep-project.ts";

/** What a run of the sweep did. */
export interface SweepRun {
  readonly projects: number;
  readonly endedReleases: number;
  readonly deletedObjects: number;
  readonly failures: readonly SweepFailure[];
  /** Whether all projects have been swept in this round, which begins anew a day after it began. */
  readonly isRoundComplete: boolean;
}

/** A project that could not be swept; the next run tries again. */
export interface SweepFailure {
  readonly slug: string;
  readonly error: unknown;
}

const roundMilliseconds = 24 * 3_600_000;
/** As long as a function may run, and a minute. */
const runMilliseconds = 16 * 60_000;

/**
 * Sweeps one project after the other, until all are swept or the time is over; the next run goes on there. Projects whose
 * sweep was interrupted come first.
 *
 * @returns undefined where another run is sweeping, or nothing is due
 */
export async function sweepProjects(sweep: Sweep): Promise<SweepRun | undefined> {
  const before = await readSweepState();
  const now = sweep.now();
  const first = startOf(before, now);
  if (first === undefined) return undefined;
  if (!(await storeSweepState(first, before))) return undefined;
  const run = new Run(sweep, first);
  // A project that stopped the last run must not prevent the sweep of all others, so each run tries it once.
  for (const slug of first.again) await run.sweep(slug);
  if (first.endedAt === undefined)
    for await (const slug of projectsAfter(first.after)) {
      if (!run.canGoOn) break;
      await run.sweep(slug, { after: slug });
    }
  return await run.end();
}

/** The state with which a run begins; undefined where it must not, or has nothing to do. */
function startOf(before: SweepState | undefined, now: Date): SweepState | undefined {
  const leaseEndsAt = new Date(now.getTime() + runMilliseconds).toISOString();
  const beganAt = now.toISOString();
  if (before === undefined) return { leaseEndsAt, beganAt, again: [] };
  if (Date.parse(before.leaseEndsAt) > now.getTime()) return undefined;
  const isDue = Date.parse(before.beganAt) + roundMilliseconds <= now.getTime();
  if (before.endedAt !== undefined && isDue) return { leaseEndsAt, beganAt, again: before.again };
  return before.endedAt !== undefined && before.again.length === 0 ? undefined : { ...before, leaseEndsAt };
}

/** One run: what it has done, and how far it is. */
class Run {
  readonly #sweep: Sweep;
  #state: SweepState;
  #isOurs = true;
  #projects = 0;
  #endedReleases = 0;
  #deletedObjects = 0;
  readonly #failures: SweepFailure[] = [];

  constructor(sweep: Sweep, state: SweepState) {
    this.#sweep = sweep;
    this.#state = state;
  }

  get canGoOn(): boolean {
    return this.#isOurs && this.#sweep.hasTime();
  }

  /** Before a project is swept it is noted, so that it comes first after a stop. */
  async sweep(slug: string, progress: Pick<SweepState, "after"> = {}): Promise<void> {
    if (!this.canGoOn) return;
    const others = this.#state.again.filter((other) => other !== slug);
    await this.#store({ ...this.#state, ...progress, again: [...others, slug] });
    if (!this.#isOurs) return;
    try {
      const { outcome, endedReleases, deletedObjects } = await sweepProject(slug, this.#sweep);
      this.#projects += 1;
      this.#endedReleases += endedReleases;
      this.#deletedObjects += deletedObjects;
      if (outcome !== "again") this.#state = { ...this.#state, again: others };
    } catch (error) {
      this.#failures.push({ slug, error });
    }
  }

  /** The lease ends with the run, so that the next one need not wait for it. */
  async end(): Promise<SweepRun> {
    const isRoundComplete = this.canGoOn;
    const now = this.#sweep.now().toISOString();
    const { after, ...rest } = this.#state;
    const state = isRoundComplete ? { ...rest, endedAt: rest.endedAt ?? now } : this.#state;
    if (this.#isOurs) await this.#store({ ...state, leaseEndsAt: now });
    return {
      projects: this.#projects,
      endedReleases: this.#endedReleases,
      deletedObjects: this.#deletedObjects,
      failures: this.#failures,
      isRoundComplete,
    };
  }

  async #store(state: SweepState): Promise<void> {
    this.#isOurs = await storeSweepState(state, this.#state);
    this.#state = state;
  }
}
