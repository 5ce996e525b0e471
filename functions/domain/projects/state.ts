import { dayMilliseconds, limits } from "../../../contract/api/limits.ts";
import type { Preview, Project } from "../../entities/project.ts";
import { ServiceError } from "../service-error.ts";

/** @throws ServiceError `project_deleted` */
export function assertNotDeleted({ deletedAt }: Project): void {
  if (deletedAt !== undefined) throw new ServiceError("project_deleted");
}

/** @throws ServiceError `project_suspended` */
export function assertNotSuspended({ suspension }: Project): void {
  if (suspension !== undefined) throw new ServiceError("project_suspended");
}

/** Until when a deleted project can be restored. */
export function restorableUntil(deletedAt: string): Date {
  return new Date(Date.parse(deletedAt) + limits.projectRestoreDays * dayMilliseconds);
}

/** The previews of a project that have not expired; none of one that nobody can play. */
export function openPreviews({ previews = [], deletedAt, suspension }: Project, now: Date): Preview[] {
  if (deletedAt !== undefined || suspension !== undefined) return [];
  return previews.filter(({ expiresAt }) => expiresAt * 1_000 > now.getTime());
}
