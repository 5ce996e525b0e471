import type { JobProvider } from "../../../contract/job-issuers.ts";
import type { jobEvents } from "../../../contract/publishers.ts";

/*
 * Which CI jobs may publish a project. Types only, as in entities.ts.
 */

interface AnyJobs {
  readonly provider: JobProvider;
  /** The `iss` of the jobs' identity tokens. */
  readonly issuer: string;
  /** The environment that the job must use; null: any or none. */
  readonly environment: string | null;
  /** Whether the branch or tag must be a protected one. */
  readonly refProtected: boolean;
  /** What people call the repository. Shown only: a name can be given up and registered by somebody else. */
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

/** What an identity token's claims are compared with. */
export type TrustedJobs = GitHubJobs | GitLabJobs;

/** Jobs that a project trusts. They stand in the project's item, so that one read finds both. */
export type TrustedPublisher = TrustedJobs & {
  readonly id: string;
  readonly createdAt: string;
};
