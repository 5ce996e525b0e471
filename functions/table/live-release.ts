import { ServiceError } from "../../contract/errors.ts";
import { eventWrite } from "./events.ts";
import { changedProject, isUnchanged } from "./expected-release.ts";
import { keys } from "./keys.ts";
import { noLongerOpen } from "./open-releases.ts";
import type { CurrentRelease, Project } from "./projects.ts";
import type { Release } from "./releases.ts";
import { transact, type Write } from "./transaction.ts";

/**
 * Makes a release the live one of a project, provided that the project is as it was read. The pointer moves in one step
 * with the release's own state and the event, which names the token that asked for it, so visitors see the old release whole and then the new one whole.
 *
 * @returns whether it was done, and the project as it then is; not done where it or the release has changed since it was
 *   read
 * @throws ServiceError `project_not_found` where it is not the owner's any more; `release_not_found` where the release
 *   was given up in the meantime
 */
export async function moveCurrentRelease(move: {
  project: Project;
  release: Release;
  tokenId: string | undefined;
  now: Date;
}): Promise<{ done: boolean; project: Project }> {
  const { project, release, tokenId, now } = move;
  const { slug, ownerKey } = project;
  const { id, manifest, publishedAt } = release;
  const next = { id, manifest, publishedAt: now.toISOString(), previous: project.currentRelease?.id ?? null };
  const failed = await transact([
    pointerMoved(project, next),
    markedPublished(slug, next),
    eventWrite(ownerKey, now, { type: "release_published", project: slug, releaseId: id, tokenId }),
    ...(publishedAt === undefined ? [noLongerOpen(slug, release)] : []),
  ]);
  if (failed === undefined) return { done: true, project: { ...project, currentRelease: next } };
  if (failed.index === 0) return { done: false, project: changedProject(failed.item, project) };
  if (failed.item === undefined) throw new ServiceError("release_not_found");
  return { done: false, project };
}

function pointerMoved(project: Project, next: CurrentRelease): Write {
  const { ConditionExpression, ExpressionAttributeValues } = isUnchanged(project);
  return {
    Update: {
      Key: keys.project(project.slug),
      UpdateExpression: "SET currentRelease = :next",
      ConditionExpression,
      ExpressionAttributeValues: { ...ExpressionAttributeValues, ":next": next },
    },
  };
}

/** What was live once does not expire. */
function markedPublished(slug: string, { id, publishedAt }: CurrentRelease): Write {
  return {
    Update: {
      Key: keys.release(slug, id),
      UpdateExpression: "SET publishedAt = :now REMOVE #ttl",
      ConditionExpression: "attribute_exists(PK)",
      ExpressionAttributeNames: { "#ttl": "ttl" },
      ExpressionAttributeValues: { ":now": publishedAt },
    },
  };
}
