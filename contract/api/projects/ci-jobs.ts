/** The issuers of CI jobs' identity tokens that every stage knows; a stage may name self-hosted ones beside them. */
export const publicIssuers = {
  github: "https://token.actions.githubusercontent.com",
  gitlab: "https://gitlab.com",
} as const;

/** Scopes that a publisher can give its jobs: the tokens that the jobs get have one of them. */
export const jobScopes = ["preview", "publish"] as const;

export type JobScope = (typeof jobScopes)[number];

/**
 * The origin of the server whose jobs an issuer signs for. The issuer of GitHub Enterprise Cloud with data residency,
 * `https://token.actions.acme.ghe.com`, is beside its server, `https://acme.ghe.com`; that of any other server is on it.
 */
export function serverOf(issuer: string): string {
  const { origin } = new URL(issuer);
  if (origin === publicIssuers.github) return "https://github.com";
  return origin.replace(/^https:\/\/token\.actions\.(?=[^./]+\.ghe\.com$)/, "https://");
}

export type JobProvider = keyof typeof publicIssuers;

/** Events that start a GitHub workflow which a publisher trusts, unless its owner says otherwise. */
export const usualEvents = ["push", "release", "workflow_dispatch"] as const;

/**
 * Events that start a workflow only for who may write to the repository, with its own code. `pull_request_target`, `workflow_run`
 * and comments are not among them: strangers start these, in the repository's name.
 */
export const jobEvents = [...usualEvents, "schedule", "pull_request"] as const;

/**
 * Sources that may start a GitLab pipeline: a push, and members of the project. Merge requests, also those of forks, other
 * projects' jobs, trigger tokens and chats are not among them
 * (https://docs.gitlab.com/ci/jobs/job_rules/#ci_pipeline_source-predefined-variable).
 */
export const pipelineSources: readonly unknown[] = ["push", "web", "api", "schedule"];
