import type { DueSweep, SweepState } from "../../entities/sweep-run.ts";
import {
  projectsAfter,
  readDueSweeps,
  readSweepState,
  removeDueSweeps,
  storeSweepState,
} from "../../table/sweep/run-items.ts";
import { type Sweep, sweepProject } from "./project-sweep.ts";

/** Work that a run of the sweep did. */
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
/** Longest time that a function may run, and a minute. */
const runMilliseconds = 16 * 60_000;

/** Number of times that the sweep of a project may begin and not end, before the others come first. */
const patience = 2;

/**
 * Sweeps one project after the other, until all are swept or the time is over; the next run goes on there. Projects whose
 * sweep did not end, and those of which a release was deleted, come first. Those whose sweep did not end twice come last, when the round has ended, because each of them
 * may take up, or stop, every run that sweeps it (with more memory than the function has, for example).
 *
 * @returns undefined if another run is sweeping, or nothing is due
 */
export async function sweepProjects(sweep: Sweep): Promise<SweepRun | undefined> {
  const state = await readSweepState();
  const now = sweep.now();
  const due = await readDueSweeps(now);
  const first = startOf(state, due, now);
  if (first === undefined) return undefined;
  if (!(await storeSweepState(first, state))) return undefined;
  await removeDueSweeps(due);
  const run = new Run(sweep, first);
  const left = Object.keys(first.attempts).toSorted((a, b) => (first.attempts[a] ?? 0) - (first.attempts[b] ?? 0));
  const last = new Set(left.filter((slug) => (first.attempts[slug] ?? 0) >= patience));
  for (const slug of left) if (!last.has(slug)) await run.sweep(slug);
  if (first.endedAt === undefined)
    for await (const slug of projectsAfter(first.after)) {
      if (!run.canGoOn) break;
      if (!last.has(slug)) await run.sweep(slug, { after: slug });
    }
  run.endRound();
  for (const slug of last) await run.sweep(slug);
  return await run.end();
}

/** The state with which a run begins; undefined if it must not, or has nothing to do. */
function startOf(state: SweepState | undefined, due: readonly DueSweep[], now: Date): SweepState | undefined {
  const leaseEndsAt = new Date(now.getTime() + runMilliseconds).toISOString();
  const beganAt = now.toISOString();
  const attempts = { ...Object.fromEntries(due.map(({ slug }) => [slug, 0])), ...state?.attempts };
  const checksCopies = true as const;
  if (state === undefined) return { leaseEndsAt, beganAt, attempts, checksCopies };
  if (Date.parse(state.leaseEndsAt) > now.getTime()) return undefined;
  const isDue = Date.parse(state.beganAt) + roundMilliseconds <= now.getTime();
  if (!state.checksCopies || (state.endedAt !== undefined && isDue)) {
    const { endedAt, after, ...rest } = state;
    return { ...rest, attempts, leaseEndsAt, beganAt, checksCopies };
  }
  return state.endedAt !== undefined && Object.keys(attempts).length === 0
    ? undefined
    : { ...state, attempts, leaseEndsAt };
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

  /** Before a project is swept its attempt is stored, so that a run that is stopped has counted it. */
  async sweep(slug: string, progress: Pick<SweepState, "after"> = {}): Promise<void> {
    if (!this.canGoOn) return;
    const { [slug]: earlier = 0, ...others } = this.#state.attempts;
    await this.#store({ ...this.#state, ...progress, attempts: { ...others, [slug]: earlier + 1 } });
    if (!this.#isOurs) return;
    try {
      const { outcome, endedReleases, deletedObjects } = await sweepProject(slug, this.#sweep);
      this.#projects += 1;
      this.#endedReleases += endedReleases;
      this.#deletedObjects += deletedObjects;
      if (outcome !== "again") this.#state = { ...this.#state, attempts: others };
    } catch (error) {
      this.#failures.push({ slug, error });
    }
  }

  /** All projects were swept, unless this run could not go on. It is stored with the next progress, or the end. */
  endRound(): void {
    if (!this.canGoOn) return;
    const { after, ...state } = this.#state;
    this.#state = { ...state, endedAt: state.endedAt ?? this.#sweep.now().toISOString() };
  }

  /** The lease ends with the run, so that the next one need not wait for it. */
  async end(): Promise<SweepRun> {
    if (this.#isOurs) await this.#store({ ...this.#state, leaseEndsAt: this.#sweep.now().toISOString() });
    return {
      projects: this.#projects,
      endedReleases: this.#endedReleases,
      deletedObjects: this.#deletedObjects,
      failures: this.#failures,
      isRoundComplete: this.#state.endedAt !== undefined,
    };
  }

  async #store(state: SweepState): Promise<void> {
    this.#isOurs = await storeSweepState(state, this.#state);
    this.#state = state;
  }
}
