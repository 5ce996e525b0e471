import { publicIssuers } from "../../../contract/ci-jobs.ts";
import { limits } from "../../../contract/limits.ts";
import type { JobIdentity, JobRun } from "./entities.ts";

/** What a release keeps of the job that uploaded it. */
export function runOf({ provider, issuer, claims }: JobIdentity): JobRun {
  const text = (name: string) => String(claims[name] ?? "").slice(0, limits.claimLength);
  const { origin } = new URL(issuer);
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
      runUrl: `${origin}/${repository}/-/jobs/${text("job_id")}`,
    };
  }
  const repository = text("repository");
  const host = origin === publicIssuers.github ? "https://github.com" : origin;
  return {
    provider,
    repository,
    repositoryId: text("repository_id"),
    commit: text("sha"),
    ref: text("ref"),
    workflow: fileOf(text("workflow_ref").split("/").slice(2).join("/")),
    actor: text("actor"),
    runUrl: `${host}/${repository}/actions/runs/${text("run_id")}`,
  };
}

/** A file without its branch, tag or commit. */
function fileOf(reference: string): string {
  return reference.split("@", 1)[0] ?? "";
}
