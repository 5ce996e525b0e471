import type { Project } from "./entities.ts";
import { ServiceError } from "./service-error.ts";

/**
 * What an owner may not look at any more.
 *
 * @throws ServiceError `project_deleted`
 */
export function assertNotDeleted({ deletedAt }: Project): void {
  if (deletedAt !== undefined) throw new ServiceError("project_deleted");
}

/**
 * What an owner may not change.
 *
 * @throws ServiceError `project_deleted`, `project_suspended`
 */
export function assertChangeable(project: Project): void {
  assertNotDeleted(project);
  if (project.suspension !== undefined) throw new ServiceError("project_suspended");
}
