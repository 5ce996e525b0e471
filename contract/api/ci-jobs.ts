/** The issuers of CI jobs' identity tokens that every stage knows; a stage may name self-hosted ones beside them. */
export const publicIssuers = {
  github: "https://token.actions.githubusercontent.com",
  gitlab: "https://gitlab.com",
} as const;

export type JobProvider = keyof typeof publicIssuers;

/** What starts a GitHub workflow that a publisher trusts unless its owner says otherwise. */
export const usualEvents = ["push", "release", "workflow_dispatch"] as const;

/**
 * Events that start a workflow only for who may write to the repository, with its own code. `pull_request_target`, `workflow_run`
 * and comments are not among them: strangers start these, in the repository's name.
 */
export const jobEvents = [...usualEvents, "schedule", "pull_request"] as const;

/** What starts a GitLab pipeline for a merge request, also one of a fork, maybe in the parent project: never trusted. */
export const mergeRequestSources: readonly unknown[] = ["merge_request_event", "external_pull_request_event"];
