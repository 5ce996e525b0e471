import type { JobProvider, JobScope, jobEvents } from "../../contract/api/projects/ci-jobs.ts";

/*
 * CI jobs that may publish a project. Types only (docs/decisions/0001-one-table-no-index.md#entities-are-types-below-all-layers).
 */

interface AnyJobs {
  readonly provider: JobProvider;
  /** The `iss` of the jobs' identity tokens. */
  readonly issuer: string;
  /** Scope of what the jobs may do; undefined: publish. */
  readonly may?: Extract<JobScope, "preview">;
  /** The environment that the job must use; null: any or none. */
  readonly environment: string | null;
  /** Whether the branch or tag must be a protected one. */
  readonly refProtected: boolean;
  /** Set: a job never takes the place of a later run's release. */
  readonly onlyLatestRun?: true;
  /** Name that people use for the repository. It is only shown: a name can be given up and registered by somebody else. */
  readonly repository: string | null;
}

interface GitHubJobs extends AnyJobs {
  readonly provider: "github";
  readonly repositoryId: string;
  readonly repositoryOwnerId: string;
  /** The path of the workflow file. */
  readonly workflow: string;
  readonly events: readonly (typeof jobEvents)[number][];
}

interface GitLabJobs extends AnyJobs {
  readonly provider: "gitlab";
  readonly projectId: string;
  readonly namespaceId: string;
  /** The path of the pipeline's file. */
  readonly ciConfigPath: string;
}

/** Jobs that are trusted: the claims of an identity token are compared with these values. */
export type TrustedJobs = GitHubJobs | GitLabJobs;

/** Jobs that a project trusts. They stand in the project's item, so that one read finds both. */
export type TrustedPublisher = TrustedJobs & {
  readonly id: string;
  readonly createdAt: string;
  /** The key of the account that added it. */
  readonly addedBy: string;
};

/** Jobs that an account trusts to create a project. */
export interface PendingPublisher {
  readonly publisher: TrustedPublisher;
  readonly expiresAt: string;
}

/** Those of an account, by the slugs of the projects, which do not exist yet. */
export interface PendingPublishers {
  readonly publishers: Readonly<Record<string, PendingPublisher>>;
}

/** A CI job, as the verified identity token says. */
export interface JobIdentity {
  readonly provider: JobProvider;
  readonly issuer: string;
  /** The token's `jti`. */
  readonly id: string;
  /** Epoch seconds. */
  readonly expiresAt: number;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Run of a workflow from which a release comes, as the identity token said. */
export interface JobRun {
  readonly provider: JobProvider;
  /** Its name at that time, and its number. */
  readonly repository: string;
  readonly repositoryId: string;
  readonly commit: string;
  readonly ref: string;
  /** The path of the workflow file or the pipeline's file. */
  readonly workflow: string;
  /** The login of who started the run. */
  readonly actor: string;
  readonly runUrl: string;
  /** GitHub's `run_id`, which a rerun keeps, or GitLab's `pipeline_id`: a later one is greater. Tokens of older versions have none. */
  readonly runId?: string;
}

/** Grant that the token of a CI job depends on, beside its own expiry. */
export interface JobGrant {
  readonly publisherId: string;
  /** The project's when the token was made. */
  readonly publisherEpoch: number;
  readonly run: JobRun;
  /** Names the repository and its branch: jobs of the same ones may replace and end each other's previews. */
  readonly branch: string;
}
