import { dayMilliseconds, limits } from "../../../contract/limits.ts";
import { markProjectDeleted, markProjectRestored, removeCurrentRelease } from "../../table/projects/endings.ts";
import { type Actor, lostToken, tokenOf } from "../authentication.ts";
import type { Project } from "../entities.ts";
import { assertCurrent, type ExpectedRelease } from "../releases/releases.ts";
import { ServiceError } from "../service-error.ts";
import { ownedStill, refusalBy } from "./projects.ts";
import { assertNotSuspended } from "./state.ts";

const maximumAttempts = 10;

type Owner = Actor & { readonly project: Project };

/**
 * Deletes a project: from the next request on visitors do not find it, and nothing can be opened or published in it.
 *
 * @throws ServiceError those of {@link ownedStill}
 */
export async function deleteProject({ project }: Owner, now: Date): Promise<Project> {
  const deleted = await markProjectDeleted(project, now);
  if (deleted.outcome === "deleted") return { ...project, deletedAt: deleted.deletedAt };
  ownedStill(deleted.project, project);
  throw new ServiceError("temporarily_unavailable");
}

/**
 * Takes the deletion of a project back; a project that is not deleted stays as it is.
 *
 * @throws ServiceError `project_deleted` where it was deleted too long ago, `project_limit_reached`, and where the project or
 *   the account is not what it was when it was read: `project_not_found`, `project_suspended`, `account_required`,
 *   `account_suspended`, `developer_required`
 */
export async function restoreProject({ project }: Owner, now: Date): Promise<Project> {
  const deletedAfter = new Date(now.getTime() - limits.projectRestoreDays * dayMilliseconds);
  const restored = await markProjectRestored(project, deletedAfter, now);
  const { deletedAt: _, ...rest } = project;
  if (restored.outcome === "restored") return rest;
  if (restored.outcome === "account_refused") throw refusalBy(restored.account);
  return restoredAlready(restored.project, project);
}

/** Another request may have restored it; otherwise it cannot be restored. */
function restoredAlready(project: Project | undefined, before: Project): Project {
  if (project?.ownerKey !== before.ownerKey) throw new ServiceError("project_not_found");
  assertNotSuspended(project);
  if (project.deletedAt === undefined) return project;
  const detail = `You have deleted this project more than ${limits.projectRestoreDays} days ago. It cannot be restored any more.`;
  throw new ServiceError("project_deleted", { detail });
}

/**
 * Unpublishes the live release of a project. Where none is live, nothing is written.
 *
 * @throws ServiceError `current_release_changed`, naming the live release; those of {@link ownedStill}
 */
export async function unpublishProject(actor: Owner, expectCurrent: ExpectedRelease, now: Date): Promise<Project> {
  let { project } = actor;
  for (let attempt = 0; attempt < maximumAttempts; attempt += 1) {
    assertCurrent(project, expectCurrent);
    const { currentRelease, ...rest } = project;
    if (currentRelease === undefined) return project;
    const removal = await removeCurrentRelease(project, { token: tokenOf(actor), now });
    if (removal.outcome === "removed") return rest;
    if (removal.outcome === "token_refused") throw lostToken(removal, now);
    project = ownedStill(removal.project, project);
  }
  throw new ServiceError("temporarily_unavailable");
}
