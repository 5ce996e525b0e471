import { ServiceError } from "../../contract/errors.ts";
import type { Project } from "./projects.ts";

/** The release that must be live for a write to happen; null: none may be; undefined: whatever is. */
export type ExpectedRelease = string | null | undefined;

/** @throws ServiceError `current_release_changed`, naming the release that is live instead of the expected one */
export function assertCurrent({ currentRelease }: Pick<Project, "currentRelease">, expected: ExpectedRelease): void {
  const live = currentRelease?.id ?? null;
  if (expected === undefined || expected === live) return;
  const detail = live
    ? `Release ${live} is live, not ${expected ?? "none"}. Look at it, then publish again if yours should replace it.`
    : `No release is live, so ${expected} is not either. Publish again without expecting it.`;
  throw new ServiceError("current_release_changed", { detail });
}

/** The condition that the project is its owner's still. */
export function isOwners({ ownerKey }: Project) {
  return { ConditionExpression: "ownerKey = :owner", ExpressionAttributeValues: { ":owner": ownerKey } };
}

/** The condition that the project is its owner's still, and has the live release that it had when it was read. */
export function isUnchanged({ ownerKey, currentRelease }: Project) {
  return currentRelease
    ? {
        ConditionExpression: "ownerKey = :owner AND currentRelease.id = :seen",
        ExpressionAttributeValues: { ":owner": ownerKey, ":seen": currentRelease.id },
      }
    : {
        ConditionExpression: "ownerKey = :owner AND attribute_not_exists(currentRelease)",
        ExpressionAttributeValues: { ":owner": ownerKey },
      };
}

/**
 * The project as it now is, where one of the conditions did not hold.
 *
 * @throws ServiceError `project_not_found` where it is not the owner's any more
 */
export function changedProject(item: Record<string, unknown> | undefined, { ownerKey }: Project): Project {
  const project = item as unknown as Project | undefined;
  if (project?.ownerKey !== ownerKey) throw new ServiceError("project_not_found");
  return project;
}
