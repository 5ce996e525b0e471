import { hash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { limits } from "../../../contract/api/limits.ts";
import { serverOf } from "../../../contract/api/projects/ci-jobs.ts";
import type { JobIdentity, JobRun } from "../../entities/publisher.ts";
import type { Release } from "../../entities/release.ts";
import type { Token } from "../../entities/token.ts";

/** Run of the job that uploaded a release, as the release keeps it. */
export function runOf({ provider, issuer, claims }: JobIdentity): JobRun {
  const text = (name: string) => String(claims[name] ?? "").slice(0, limits.claimLength);
  const server = serverOf(issuer);
  if (provider === "gitlab") {
    const repository = text("project_path");
    return {
      provider,
      repository,
      repositoryId: text("project_id"),
      commit: text("sha"),
      ref: text("ref_path"),
      workflow: fileOf(text("ci_config_ref_uri").split("//").slice(1).join("//")),
      actor: text("user_login"),
      runUrl: `${server}/${repository}/-/jobs/${text("job_id")}`,
      runId: text("pipeline_id"),
    };
  }
  const repository = text("repository");
  return {
    provider,
    repository,
    repositoryId: text("repository_id"),
    commit: text("sha"),
    ref: text("ref"),
    workflow: fileOf(text("workflow_ref").split("/").slice(2).join("/")),
    actor: text("actor"),
    runUrl: `${server}/${repository}/actions/runs/${text("run_id")}`,
    runId: text("run_id"),
  };
}

/**
 * Whether a run began after another one of the same repository: by what the identity tokens say alone. A rerun of a job is no later run.
 * Unknown numbers and other repositories say nothing.
 */
export function isLaterRun(run: JobRun | undefined, other: JobRun): boolean {
  return (
    isOfSameRepository(run, other) && Number.parseInt(run?.runId ?? "", 10) > Number.parseInt(other.runId ?? "", 10)
  );
}

/** By the repository's number, which stays when it is renamed. */
export function isOfSameRepository(run: JobRun | undefined, { provider, repositoryId }: JobRun): boolean {
  return run?.provider === provider && run.repositoryId === repositoryId;
}

/**
 * Names the branch that a job is about, of which repository of which issuer: the same for all jobs of a pull request, also after its
 * merge, when GitHub's `ref` is that of the branch which it was merged into.
 */
export function branchOf({ issuer, claims }: JobIdentity): string {
  const { repository_id: repository, project_id: project, head_ref: head, ref_path: path, ref } = claims;
  const branch = head ? `refs/heads/${head}` : (path ?? ref);
  return hash("sha256", JSON.stringify([issuer, repository ?? project, branch]), "base64url").slice(0, 22);
}

/** A file without its branch, tag or commit. */
function fileOf(reference: string): string {
  return reference.replace(/@.*/s, "");
}

const commitPattern = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/**
 * The run that everybody may learn a release comes from, when a token makes the release live: that of the token, if the same run has
 * uploaded the release and the identity token had every claim in full. A run that did one half says nothing about the files.
 */
export function publishingRun(token: Token | undefined, { provenance }: Release): JobRun | undefined {
  const run = token?.job?.run;
  if (run === undefined || !isDeepStrictEqual(run, provenance)) return undefined;
  // A URL that ends with a slash lacks its claim; a text of the greatest length may be cut.
  const isWhole = Object.values(run).every((text) => text.length < limits.claimLength && /[^/]$/.test(text));
  return isWhole && commitPattern.test(run.commit) ? run : undefined;
}
