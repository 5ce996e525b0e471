import { limits } from "../../../contract/api/limits.ts";
import type { Project } from "../../entities/project.ts";
import type { Release } from "../../entities/release.ts";
import { ttlAfter } from "../attributes.ts";
import { asRead } from "../expressions.ts";
import { keys } from "../keys.ts";
import { scheduleEndWrites } from "../releases/schedule-items.ts";
import { activeTokenCheck } from "../tokens/token-items.ts";
import { change, put, putNew, remove, transact, type Writes } from "../transaction.ts";
import { type ProjectChange, projectEventWrites, releaseEvent } from "./history.ts";
import { keepLedger } from "./ledger.ts";
import { pointerWrites } from "./pointer-items.ts";
import { countLess, countMore, openCondition, unchangedCondition } from "./project-items.ts";

/**
 * Deletes a project for everybody and subtracts it from its owner's count, all or nothing. Everything of it stays
 * stored.
 */
export async function markProjectDeleted(project: Project, made: ProjectChange): Promise<Project> {
  const { slug } = project;
  const { now } = made;
  const deletedAt = now.toISOString();
  const set = "SET deletedAt = :now REMOVE invitations, schedule ADD publisherEpoch :one";
  await transact({
    project: change(keys.project(slug), set, openCondition(project), { values: { ":now": deletedAt, ":one": 1 } }),
    gone: goneFromOwner(project, now),
    event: projectEventWrites(project, made, { type: "project_deleted" }),
    pointer: pointerWrites([slug], now),
  });
  const { schedule: _, ...rest } = project;
  return { ...rest, deletedAt };
}

/** Changes for the owner when a project is deleted, beside the history: the count and the two lists. */
export function goneFromOwner({ slug, ownerKey }: Project, now: Date): Writes {
  const ttl = ttlAfter(now, limits.deletedSlugDays);
  return [
    countLess(ownerKey),
    remove(keys.ownership(ownerKey, slug)),
    put(keys.deletedProject(ownerKey, slug), { slug, ttl }),
  ];
}

/**
 * Takes the deletion of a project back, all or nothing.
 *
 * @param deletedAfter a project that was deleted before cannot be restored
 */
export async function markProjectRestored(project: Project, deletedAfter: Date, made: ProjectChange): Promise<void> {
  const { slug, ownerKey, createdAt, personMakesLive, usedObjects = 0 } = project;
  const { now } = made;
  const same = asRead({ ownerKey, personMakesLive, sweepBegunAt: undefined, suspension: undefined });
  await transact({
    project: change(keys.project(slug), "REMOVE deletedAt", same, {
      condition: "deletedAt > :after",
      values: { ":after": deletedAfter.toISOString() },
    }),
    account: countMore(ownerKey),
    ownership: putNew(keys.ownership(ownerKey, slug), { slug, createdAt }),
    deletion: remove(keys.deletedProject(ownerKey, slug)),
    ledger: usedObjects > 0 ? keepLedger(ownerKey) : undefined,
    event: projectEventWrites(project, made, { type: "project_restored" }),
    pointer: pointerWrites([slug], now),
  });
}

/**
 * Unpublishes the live release of a project, provided that the project is as it was read.
 *
 * @returns the project afterwards
 */
export async function removeCurrentRelease(project: Project, live: Release, made: ProjectChange): Promise<Project> {
  const { currentRelease, schedule, ...rest } = project;
  const { slug } = project;
  const { token, now } = made;
  const updatedAt = now.toISOString();
  await transact({
    token: activeTokenCheck(token, now),
    project: change(
      keys.project(slug),
      "SET updatedAt = :now REMOVE currentRelease, schedule ADD offlineEpoch :one",
      unchangedCondition(project),
      {
        values: { ":now": updatedAt, ":one": 1 },
      },
    ),
    event: projectEventWrites(project, made, releaseEvent("release_unpublished", live, made)),
    endedSchedule: schedule && scheduleEndWrites(project, schedule, "taken_offline", made),
    pointer: pointerWrites([slug], now),
  });
  return { ...rest, updatedAt, offlineEpoch: (project.offlineEpoch ?? 0) + 1 };
}
