import { dayMilliseconds } from "../../../contract/api/limits.ts";
import type { PublicationAct, ScheduleEnd } from "../../entities/account.ts";
import type { DueSchedule, Project, Schedule } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import { epochSeconds, ttlAfter } from "../attributes.ts";
import { asRead, itemExists } from "../expressions.ts";
import { keys, schedulePartition } from "../keys.ts";
import { type ProjectChange, projectEventWrites, releaseEvent } from "../projects/history.ts";
import { unchangedCondition } from "../projects/project-items.ts";
import { readDue } from "../read.ts";
import { activeTokenCheck } from "../tokens/token-items.ts";
import { change, put, remove, transact, tryTransact, type Writes } from "../transaction.ts";
import { keptUntil } from "./open-releases.ts";

/*
 * The schedule of a project stands in its item (docs/decisions/0078-live-at-an-hour.md). What is due names the project beside it, so that
 * no job reads all projects; one that is left behind names nothing that happens.
 */

/** An open release is kept so long after the time for which it is scheduled. */
const keptDays = 1;

/**
 * Stores the schedule of a project in the place of the one before, provided that the project and the release are as they were read. An open
 * release is kept until a day after its time.
 */
export async function storeSchedule(
  project: Project,
  { schedule, release }: { readonly schedule: Schedule; readonly release: Release },
  made: ProjectChange,
): Promise<void> {
  const { slug, schedule: before } = project;
  const { token, now } = made;
  const { at, madeAt } = schedule;
  const kept = new Date(Date.parse(at) + keptDays * dayMilliseconds);
  await transact({
    token: activeTokenCheck(token, now),
    project: change(keys.project(slug), { schedule }, unchangedCondition(project)),
    ...keptUntil(slug, release, epochSeconds(kept)),
    due: [
      put(keys.dueSchedule({ at, slug }), { slug, at, madeAt, ttl: ttlAfter(kept, 1) }),
      before && before.at !== at ? remove(keys.dueSchedule({ at: before.at, slug })) : undefined,
    ],
    event: projectEventWrites(project, made, releaseEvent("release_scheduled", release, made, { scheduledFor: at })),
  });
}

/** Removes the schedule of a project, provided that the project is as it was read. */
export async function removeSchedule(
  project: Project,
  { schedule, release }: { readonly schedule: Schedule; readonly release: Release },
  made: ProjectChange,
): Promise<void> {
  const { slug } = project;
  await transact({
    token: activeTokenCheck(made.token, made.now),
    project: change(keys.project(slug), "REMOVE schedule", unchangedCondition(project)),
    due: remove(keys.dueSchedule({ at: schedule.at, slug })),
    event: projectEventWrites(project, made, releaseEvent("schedule_cancelled", release, made)),
  });
}

/** Ends a schedule that cannot be kept, whatever the project is by now, provided that it still has that schedule. */
export async function endSchedule(project: Project, schedule: Schedule, end: ScheduleEnd, now: Date): Promise<void> {
  await transact({
    project: change(keys.project(project.slug), "REMOVE schedule", itemExists, asRead({ schedule })),
    event: scheduleEndWrites(project, schedule, end, { by: undefined, token: undefined, now }),
  });
}

/** The writes of the event that a schedule ended, by a change of this caller. */
export function scheduleEndWrites(
  project: Project,
  { releaseId: id }: Schedule,
  scheduleEnd: ScheduleEnd,
  made: ProjectChange,
): Writes {
  return projectEventWrites(project, made, releaseEvent("schedule_ended", { id }, made, { scheduleEnd }));
}

/** End of a schedule in the transaction of another change: the end of the UpdateExpression, and the event if there is one. */
interface EndingSchedule {
  readonly remove: " REMOVE schedule";
  readonly event: Writes | undefined;
}

/** What ends with a release that goes live: its own schedule, or that of another release, unless it stays despite a new one. */
export function scheduleEndedByMove(
  project: Project,
  { id, act }: { readonly id: string; readonly act: PublicationAct },
  made: ProjectChange,
): EndingSchedule | undefined {
  const { schedule } = project;
  if (schedule === undefined) return undefined;
  if (schedule.releaseId === id) return { remove: " REMOVE schedule", event: undefined };
  if (schedule.despiteChanges && act !== "roll_back") return undefined;
  return { remove: " REMOVE schedule", event: scheduleEndWrites(project, schedule, "another_release_live", made) };
}

/** What ends with the deletion of releases, by their manifests. */
export function scheduleEndedByDeletion(
  project: Project,
  manifests: ReadonlySet<string>,
  made: ProjectChange,
): EndingSchedule | undefined {
  const { schedule } = project;
  if (schedule === undefined || !manifests.has(schedule.manifest)) return undefined;
  return { remove: " REMOVE schedule", event: scheduleEndWrites(project, schedule, "release_deleted", made) };
}

/** A page of what is due at a time, the earliest first, as {@link readDue}. */
export async function readDueSchedules(
  until: Date,
  { limit, after }: { readonly limit: number; readonly after?: DueSchedule | undefined },
): Promise<{ readonly due: readonly DueSchedule[]; readonly isComplete: boolean }> {
  const { items, last } = await readDue<DueSchedule>(schedulePartition, until, {
    limit,
    after: after && keys.dueSchedule(after).SK,
  });
  return { due: items, isComplete: last === undefined };
}

/** Deletes what was due, unless the project has another schedule for the same time by now. */
export async function removeDueSchedule(due: DueSchedule): Promise<void> {
  await tryTransact({ due: remove(keys.dueSchedule(due), asRead({ madeAt: due.madeAt })) });
}
