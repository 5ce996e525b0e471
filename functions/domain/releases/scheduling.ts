import { isDeepStrictEqual } from "node:util";
import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import * as contract from "../../../contract/api/releases/schedules.ts";
import { retryOnConflict } from "../../conflict.ts";
import type { ScheduleEnd } from "../../entities/account.ts";
import type { DueSchedule, Project, Schedule } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import type { Token } from "../../entities/token.ts";
import { readProject } from "../../table/projects/project-items.ts";
import {
  endSchedule,
  readDueSchedules,
  removeDueSchedule,
  removeSchedule,
  storeSchedule,
} from "../../table/releases/schedule-items.ts";
import { changeBy, findEarlierCaller, type ProjectActor, tokenOf } from "../authentication.ts";
import { authorize } from "../authorization.ts";
import { ServiceError } from "../service-error.ts";
import { assertCopies } from "./copies.ts";
import { publisherOf, publishRelease } from "./publishing.ts";
import { assertComplete, assertCurrent, assertNotWithdrawn, type ExpectedRelease, findRelease } from "./releases.ts";

/** A release of a project, which may be scheduled. */
interface ScheduledRelease {
  readonly project: Project;
  readonly release: Release;
}

interface WantedSchedule {
  readonly releaseId: string;
  readonly at: Date;
  readonly expectCurrent: ExpectedRelease;
  readonly despiteChanges: boolean;
}

/**
 * Schedules a release, in the place of the one that was scheduled before. It must be complete by now. A schedule that is there already is
 * not written again. If a person makes live in the project, the route admits only one who has just signed in.
 *
 * @throws ServiceError `schedule_invalid`; `release_not_found`; `release_live`; `release_withdrawn`; `current_release_changed`;
 *   `release_incomplete`; `copies_differ`
 */
export async function scheduleRelease(
  actor: ProjectActor,
  { releaseId, at, expectCurrent, despiteChanges }: WantedSchedule,
  now: Date,
): Promise<ScheduledRelease> {
  const { project } = actor;
  assertTime(at, tokenOf(actor), now);
  const release = await findRelease(project.slug, releaseId, now);
  if (project.currentRelease?.id === releaseId) throw releaseLive();
  assertNotWithdrawn(release);
  assertCurrent(project, expectCurrent);
  await assertComplete(actor, release);
  await assertCopies(actor, release, now);
  const schedule: Schedule = {
    releaseId,
    manifest: release.manifest,
    at: at.toISOString(),
    madeAt: now.toISOString(),
    by: publisherOf(actor),
    ...(project.personMakesLive && { isAgreed: true }),
    ...(despiteChanges && { despiteChanges: true }),
  };
  // The same request again, after a response that was lost.
  if (project.schedule && isDeepStrictEqual({ ...project.schedule, madeAt: schedule.madeAt }, schedule))
    return { project, release };
  await storeSchedule(project, { schedule, release }, changeBy(actor, now));
  return { project: { ...project, schedule }, release };
}

const minuteMilliseconds = 60_000;

/** @throws ServiceError `schedule_invalid` */
function assertTime(at: Date, token: Token | undefined, now: Date): void {
  const ahead = at.getTime() - now.getTime();
  if (at.getTime() % minuteMilliseconds !== 0) throw invalid("has seconds. Name a whole minute.");
  if (ahead <= 0) throw invalid("is over. Name one to come, or make the release live now.");
  if (ahead > limits.maxScheduleDays * dayMilliseconds)
    throw invalid(`is more than ${limits.maxScheduleDays} days ahead.`);
  if (token && token.expiresAt <= at.toISOString())
    throw invalid(`is after the token expires (${token.expiresAt}). Schedule with another one, or in the dashboard.`);
}

function invalid(problem: string): ServiceError {
  return new ServiceError("schedule_invalid", { detail: `The time of the schedule ${problem}` });
}

function releaseLive(): ServiceError {
  return new ServiceError("release_live", { detail: "This release is live already." });
}

/**
 * Cancels the schedule of a release. Without one, nothing is written.
 *
 * @throws ServiceError `release_not_found`
 */
export async function cancelSchedule(actor: ProjectActor, releaseId: string, now: Date): Promise<ScheduledRelease> {
  const { schedule, ...rest } = actor.project;
  const release = await findRelease(rest.slug, releaseId, now);
  if (schedule?.releaseId !== releaseId) return { project: actor.project, release };
  await removeSchedule(actor.project, { schedule, release }, changeBy(actor, now));
  return { project: rest, release };
}

/** The time of a run of the job. */
export interface ScheduleClock {
  now(): Date;
  /** Returns once `now` is not before a time. */
  waitUntil(time: Date): Promise<void>;
}

/** Result of a run of the job. */
export interface ScheduleRun {
  /** Number of releases that went live. */
  published: number;
  /** Why schedules ended, one for each. */
  readonly ended: ScheduleEnd[];
  /** What kept schedules from either. The next run tries again, up to a minute after their time. */
  readonly failures: unknown[];
}

const duePerRead = 1_000;
const atOnce = 20;

/**
 * Makes the scheduled releases live whose time comes until a time, each at its own and none before; what cannot go live ends. Several runs at once do no harm:
 * one transaction makes a release live and removes its schedule.
 */
export async function publishScheduled(until: Date, clock: ScheduleClock): Promise<ScheduleRun> {
  const run: ScheduleRun = { published: 0, ended: [], failures: [] };
  for (let after: DueSchedule | undefined; ; ) {
    const { due, isComplete } = await readDueSchedules(until, { limit: duePerRead, after });
    const rest = due.values();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const each of rest) await settle(each, clock, run);
      }),
    );
    after = due.at(-1);
    if (isComplete) return run;
  }
}

async function settle(due: DueSchedule, clock: ScheduleClock, run: ScheduleRun): Promise<void> {
  try {
    await clock.waitUntil(new Date(due.at));
    const end = await retryOnConflict(() => settleOnce(due, clock.now()));
    if (end === "published") run.published += 1;
    else if (end !== "none") run.ended.push(end);
    await removeDueSchedule(due);
  } catch (error) {
    run.failures.push(error);
  }
}

/** @returns `none` if the project does not have this schedule any more */
async function settleOnce({ slug, madeAt }: DueSchedule, now: Date): Promise<ScheduleEnd | "published" | "none"> {
  const project = await readProject(slug);
  const schedule = project?.schedule;
  if (project === undefined || schedule?.madeAt !== madeAt) return "none";
  const end = isTooLate(schedule, now) ? "too_late" : await publishOrEnd(project, schedule, now);
  if (end !== "published") await endSchedule(project, schedule, end, now);
  return end;
}

function isTooLate({ at }: Schedule, now: Date): boolean {
  return now.getTime() - Date.parse(at) > limits.maxScheduleDelaySeconds * 1_000;
}

/** Publishes as whoever scheduled it would now; their sign-in counts as it was then. */
async function publishOrEnd(project: Project, schedule: Schedule, now: Date): Promise<ScheduleEnd | "published"> {
  if (project.personMakesLive && !schedule.isAgreed) return "person_required";
  try {
    const caller = await findEarlierCaller(schedule.by, project, now);
    authorize({ ...contract.scheduleRelease, personMakesLive: "free" }, caller, project, now);
    await publishRelease(caller, { releaseId: schedule.releaseId, expectCurrent: undefined }, now);
    return "published";
  } catch (error) {
    const end = error instanceof ServiceError ? ends[error.code] : undefined;
    if (end === undefined) throw error;
    return end;
  }
}

/** Why a schedule ends, by the error with which the same person or token would be refused. Any other error is tried again. */
const ends: Partial<Record<ServiceError["code"], ScheduleEnd>> = {
  account_required: "right_ended",
  account_suspended: "right_ended",
  developer_required: "right_ended",
  insufficient_scope: "right_ended",
  token_expired: "right_ended",
  token_invalid: "right_ended",
  token_revoked: "right_ended",
  tokens_refused: "right_ended",
  project_deleted: "right_ended",
  project_not_found: "right_ended",
  project_not_in_token: "right_ended",
  project_role_required: "right_ended",
  project_suspended: "project_suspended",
  person_required: "person_required",
  release_not_found: "release_deleted",
  release_withdrawn: "release_deleted",
  release_incomplete: "release_incomplete",
  copies_differ: "release_incomplete",
};
