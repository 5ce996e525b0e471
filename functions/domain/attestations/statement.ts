import { limits } from "../../../contract/api/limits.ts";
import type { JobRun } from "../../entities/publisher.ts";
import type { Release } from "../../entities/release.ts";
import type { FileContent } from "../../files/manifests.ts";
import { repositoryUrl } from "./shown-run.ts";

/*
 * What the service states about a release: an in-toto Statement v1 (https://in-toto.io/Statement/v1) with a SLSA provenance v1
 * predicate (https://slsa.dev/spec/v1.0/provenance). It follows from what is stored alone, so that it is the same at each request.
 */

/** A release, the run that published it, and what its manifest says of its files. */
export interface AttestedRelease {
  readonly slug: string;
  readonly release: Pick<Release, "id" | "manifest">;
  readonly run: JobRun;
  /** Undefined where it has too many to name them. */
  readonly files: ReadonlyMap<string, FileContent> | undefined;
}

/** Whether a statement names each file of a release. */
export function namesFiles({ files }: Pick<Release, "files">): boolean {
  return files <= limits.attestedFiles;
}

/** The statement as it is signed. */
export function statementOf({ slug, release, run, files = new Map() }: AttestedRelease): string {
  const subjects = [...files].map(([name, { sha256 }]: [string, FileContent]) => ({ name, digest: { sha256 } }));
  return JSON.stringify({
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name: `${slug}/${release.id}`, digest: { sha256: release.manifest } }, ...subjects],
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: { buildDefinition: buildDefinition(run), runDetails: runDetails(run) },
  });
}

/** GitHub's own has a specification; GitLab's own has values that no identity token has. */
const buildTypes = {
  github: "https://actions.github.io/buildtypes/workflow/v1",
  gitlab: "urn:svc:build-type:gitlab-job:v1",
} as const;

function buildDefinition(run: JobRun) {
  const { provider, ref, workflow: path, event, repositoryId, ownerId, runner, commit } = run;
  const repository = repositoryUrl(run);
  const numbers =
    provider === "github"
      ? { event_name: event, repository_id: repositoryId, repository_owner_id: ownerId, runner_environment: runner }
      : { pipeline_source: event, project_id: repositoryId, namespace_id: ownerId, runner_id: runner };
  return {
    buildType: buildTypes[provider],
    externalParameters: { workflow: { ref, repository, path } },
    internalParameters: { [provider]: numbers },
    resolvedDependencies: [{ uri: `git+${repository}@${ref}`, digest: { gitCommit: commit } }],
  };
}

/** Builder and invocation are called as in the attestations that GitHub and GitLab sign themselves. */
function runDetails(run: JobRun) {
  const { provider, runner, runUrl, attempt } = run;
  const { origin } = new URL(runUrl);
  if (provider === "gitlab")
    return { builder: { id: `${origin}/-/runners/${runner}` }, metadata: { invocationId: runUrl } };
  return {
    builder: { id: `${origin}/actions/runner/${runner}` },
    metadata: { invocationId: `${runUrl}/attempts/${attempt}` },
  };
}
