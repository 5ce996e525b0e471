import type { Project } from "../../entities/project.ts";
import type { Token } from "../../entities/token.ts";

/**
 * Whether a token still has what it was made by: that of a CI job needs its publisher, and a project that was neither deleted nor
 * suspended nor handed over since then. Any other token needs nothing.
 */
export function isStillTrusted({ job, accountKey }: Token, project: Project | undefined): boolean {
  if (job === undefined) return true;
  const { publishers = [], publisherEpoch = 0, ownerKey, deletedAt, suspension } = project ?? {};
  const isOpen = ownerKey === accountKey && deletedAt === undefined && suspension === undefined;
  return isOpen && publisherEpoch === job.publisherEpoch && publishers.some(({ id }) => id === job.publisherId);
}
