import type { Release } from "../../entities/release.ts";
import { changeMessage } from "../../table/releases/release-items.ts";
import { changeBy, type ProjectActor } from "../authentication.ts";
import { assertNotWithdrawn, findVisible } from "./releases.ts";

/**
 * Changes what is said of a release. What is so already is no change: a request that is sent again has one line in the history.
 *
 * @param message undefined: nothing is said
 * @throws ServiceError `release_not_found`, `release_withdrawn`
 */
export async function editMessage(
  actor: ProjectActor,
  releaseId: string,
  message: string | undefined,
  now: Date,
): Promise<Release> {
  const release = await findVisible(actor, releaseId, now);
  assertNotWithdrawn(release);
  if (release.message === message) return release;
  return await changeMessage(actor.project, { release, message }, changeBy(actor, now));
}
