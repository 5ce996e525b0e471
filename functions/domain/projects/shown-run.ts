import type { CurrentRelease, Project } from "../../entities/project.ts";

/**
 * The run of a project's live release that everybody may see; undefined if its owner does not show it, or if the job was not
 * trusted by this owner: an earlier one may have had a private repository.
 */
export function shownRun({
  ownerKey,
  showProvenance = false,
  currentRelease,
}: Pick<Project, "ownerKey" | "showProvenance" | "currentRelease">): CurrentRelease["run"] {
  const run = currentRelease?.run;
  return showProvenance && run?.accountKey === ownerKey ? run : undefined;
}

/** The page of a run's repository, which is on the host of the run's page. */
export function repositoryUrl({
  runUrl,
  repository,
}: {
  readonly runUrl: string;
  readonly repository: string;
}): string {
  return `${new URL(runUrl).origin}/${repository}`;
}
