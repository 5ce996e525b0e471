import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import { markProjectDeleted, markProjectRestored, removeCurrentRelease } from "../../table/projects/deletion-items.ts";
import { changeBy, type ProjectActor } from "../authentication.ts";
import { assertCurrent, type ExpectedRelease, findRelease } from "../releases/releases.ts";
import { ServiceError } from "../service-error.ts";
import { bringToEdge, type ChangedProject, ownChange } from "./pointers.ts";
import { assertRoomForProject } from "./projects.ts";

/** Deletes a project: from the next request on visitors do not find it, and nothing can be opened or published in it. */
export async function deleteProject(actor: ProjectActor, now: Date): Promise<ChangedProject> {
  const { project } = actor;
  const deleted = await markProjectDeleted(project, changeBy(actor, now));
  return { project: deleted, edge: await bringToEdge(ownChange(project), now) };
}

/**
 * Takes the deletion of a project back. If it is not deleted, nothing is written but what the games' edge still lacks.
 *
 * @throws ServiceError `project_deleted` if it was deleted too long ago; `project_limit_reached`
 */
export async function restoreProject(actor: ProjectActor, now: Date): Promise<ChangedProject> {
  const { account, project } = actor;
  const { deletedAt, ...rest } = project;
  if (deletedAt === undefined) return { project, edge: await bringToEdge(ownChange(project), now) };
  const deletedAfter = new Date(now.getTime() - limits.projectRestoreDays * dayMilliseconds);
  if (deletedAt <= deletedAfter.toISOString() || project.sweepBegunAt !== undefined) throw deletedTooLongAgo();
  assertRoomForProject(account);
  await markProjectRestored(project, deletedAfter, changeBy(actor, now));
  return { project: rest, edge: await bringToEdge(ownChange(project), now) };
}

function deletedTooLongAgo(): ServiceError {
  const detail = `You have deleted this project more than ${limits.projectRestoreDays} days ago. It cannot be restored any more.`;
  return new ServiceError("project_deleted", { detail });
}

/**
 * Unpublishes the live release of a project. If none is live, nothing is written but what the games' edge still lacks.
 *
 * @throws ServiceError `current_release_changed`, naming the live release
 */
export async function unpublishProject(
  actor: ProjectActor,
  expectCurrent: ExpectedRelease,
  now: Date,
): Promise<ChangedProject> {
  const { project } = actor;
  assertCurrent(project, expectCurrent);
  const { currentRelease, slug } = project;
  const release = currentRelease && (await findRelease(slug, currentRelease.id, now));
  const unpublished = release ? await removeCurrentRelease(project, release, changeBy(actor, now)) : project;
  return { project: unpublished, edge: await bringToEdge(ownChange(project), now) };
}
