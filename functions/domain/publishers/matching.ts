import { type JobScope, pipelineSources } from "../../../contract/api/projects/ci-jobs.ts";
import type { Project } from "../../entities/project.ts";
import type { JobIdentity, TrustedJobs, TrustedPublisher } from "../../entities/publisher.ts";
import { ServiceError } from "../service-error.ts";

type Claims = JobIdentity["claims"];

/** A claim, what to do if it is another one, and whether it fits. Later rules are looked at only if the earlier ones fit. */
interface Rule<Jobs> {
  readonly claim: string;
  readonly advice: string;
  readonly fits: (claims: Claims, jobs: Jobs, issuer: string) => boolean;
}

const sameEnvironment = "The job must use the environment that the publisher names.";
const protectedRef =
  "The branch or tag must be protected, or the publisher must name an environment or allow refs that are not protected.";
const otherRepository = "Another repository must have a publisher of its own, also one that got an old name.";

/** https://docs.github.com/en/actions/reference/security/oidc, "OIDC token claims" */
const githubRules: readonly Rule<Extract<TrustedJobs, { provider: "github" }>>[] = [
  {
    claim: "repository_id",
    advice: otherRepository,
    fits: (claims, jobs) => claims["repository_id"] === jobs.repositoryId,
  },
  {
    claim: "repository_owner_id",
    advice: "The repository has another owner than the publisher says.",
    fits: (claims, jobs) => claims["repository_owner_id"] === jobs.repositoryOwnerId,
  },
  {
    claim: "workflow_ref",
    advice: "Another workflow must have a publisher of its own.",
    fits: (claims, { workflow }) => isWorkflow(claims["workflow_ref"], claims, workflow),
  },
  {
    claim: "job_workflow_ref",
    advice: "The job must be written in the workflow's own file, not in a reusable workflow.",
    fits: (claims, { workflow }) => isWorkflow(claims["job_workflow_ref"], claims, workflow),
  },
  {
    claim: "event_name",
    advice: "The publisher does not trust what started the workflow. What strangers can start is never trusted.",
    fits: (claims, { events }) => events.some((event) => event === claims["event_name"]),
  },
  {
    claim: "environment",
    advice: sameEnvironment,
    // GitHub does not distinguish upper and lower case in them.
    fits: ({ environment: used }, { environment }) =>
      environment === null || (typeof used === "string" && inLowerCase(used) === inLowerCase(environment)),
  },
  { claim: "ref_protected", advice: protectedRef, fits: isProtectedEnough },
];

/** https://docs.gitlab.com/ci/secrets/id_token_authentication/, "Token payload" */
const gitlabRules: readonly Rule<Extract<TrustedJobs, { provider: "gitlab" }>>[] = [
  { claim: "project_id", advice: otherRepository, fits: (claims, jobs) => claims["project_id"] === jobs.projectId },
  {
    claim: "namespace_id",
    advice: "The project is in another group than the publisher says.",
    fits: (claims, jobs) => claims["namespace_id"] === jobs.namespaceId,
  },
  {
    claim: "pipeline_source",
    advice: `Only a pipeline that ${pipelineSources.join(", ")} started is trusted; forks can start those of merge requests.`,
    fits: ({ pipeline_source: source }) => pipelineSources.includes(source),
  },
  {
    claim: "ref_type",
    advice: "Only pipelines of branches and tags are trusted.",
    fits: ({ ref_type: type }) => type === "branch" || type === "tag",
  },
  {
    claim: "ci_config_ref_uri",
    advice: "The pipeline's file must be the one that the publisher names, in the project itself.",
    fits: ({ ci_config_ref_uri: uri, project_path: path, ref_path: ref, sha }, { ciConfigPath }, issuer) =>
      isFileOf(uri, [`${new URL(issuer).host}/${path}//`, ciConfigPath], ref, sha),
  },
  {
    claim: "environment",
    advice: sameEnvironment,
    fits: (claims, { environment }) => environment === null || environment === claims["environment"],
  },
  { claim: "ref_protected", advice: protectedRef, fits: isProtectedEnough },
];

/**
 * Whether a reference is to this file at the job's own branch, tag or commit. Names of repositories have no case; paths of files do. What
 * follows the file is compared too: a file may be called publish.yml@other.yml.
 */
function isFileOf(reference: unknown, [repository, path]: readonly [string, string], ...refs: readonly unknown[]) {
  if (typeof reference !== "string") return false;
  const { length } = repository;
  const isOfRepository = inLowerCase(reference.slice(0, length)) === inLowerCase(repository);
  return isOfRepository && refs.some((ref) => reference.slice(length) === `${path}@${ref}`);
}

/** ASCII letters alone: toLowerCase() makes a k of the Kelvin sign. */
function inLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function isWorkflow(reference: unknown, { repository, ref, sha }: Claims, workflow: string): boolean {
  return isFileOf(reference, [`${repository}/`, workflow], ref, sha);
}

/** GitLab and GitHub send the word. */
function isProtectedEnough({ ref_protected: isProtected }: Claims, { refProtected }: TrustedJobs): boolean {
  return !refProtected || isProtected === "true" || isProtected === true;
}

/** The first rule that does not fit, with its place; undefined if all fit. */
function misfit(publisher: TrustedJobs, { issuer, claims }: JobIdentity) {
  const rules = (publisher.provider === "github" ? githubRules : gitlabRules) as readonly Rule<TrustedJobs>[];
  const place = rules.findIndex(({ fits }) => !fits(claims, publisher, issuer));
  const rule = rules[place];
  return rule && { ...rule, place };
}

/** Whether a publisher trusts a job. */
export function isMatch(publisher: TrustedJobs, job: JobIdentity): boolean {
  return isOfIssuer(publisher, job) && misfit(publisher, job) === undefined;
}

function isOfIssuer({ provider, issuer }: TrustedJobs, job: JobIdentity): boolean {
  return provider === job.provider && issuer === job.issuer;
}

/**
 * The publisher of a project that a job matches: one that lets its jobs publish, if there is one.
 *
 * @param scope what the job asks for
 * @throws ServiceError `invalid_request`, as {@link noMatch} says it; `invalid_scope`
 */
export function matchingPublisher(
  { slug, publishers = [] }: Pick<Project, "slug" | "publishers">,
  job: JobIdentity,
  scope?: JobScope,
): TrustedPublisher {
  const matching = publishers.filter((publisher) => isMatch(publisher, job));
  const publishing = matching.filter(({ may }) => may === undefined);
  // Of two that differ in this alone, the one that demands more counts.
  const match = publishing.find(({ onlyLatestRun }) => onlyLatestRun) ?? publishing[0] ?? matching[0];
  if (match === undefined) throw noMatch({ slug, publishers, kind: "trusted" }, job);
  if (scope === "publish" && match.may === "preview") throw new ServiceError("invalid_scope", { detail: onlyPreviews });
  return match;
}

const onlyPreviews =
  "The publisher that this job matches lets its jobs open previews and not publish: svc publish --preview. Its owner decides which jobs may publish.";

interface PublisherCandidates {
  readonly slug: string;
  readonly publishers: readonly TrustedJobs[];
  /** A pending one waits for the project's first publication; nobody can add a trusted one before. */
  readonly kind: "trusted" | "pending";
}

/**
 * The refusal of a job that matches no publisher: it names the first claim by which the job differs from the one that it is
 * closest to, and no value of it.
 */
export function noMatch({ slug, publishers, kind }: PublisherCandidates, job: JobIdentity): ServiceError {
  const ofIssuer = publishers.filter((publisher) => isOfIssuer(publisher, job));
  const [closest] = ofIssuer
    .flatMap((publisher) => misfit(publisher, job) ?? [])
    .toSorted((one, other) => other.place - one.place);
  const why = closest
    ? `the claim ${closest.claim} does not match. ${closest.advice}`
    : publishers.length === 0
      ? "the project has none. Its owner adds one in the dashboard."
      : "the claim iss does not match.";
  return new ServiceError("invalid_request", {
    reason: `no publisher: ${closest?.claim ?? "iss"}`,
    detail: `This job matches no ${kind} publisher of ${slug}: ${why}`,
    ...(kind === "trusted" && { needs: "publisher" }),
  });
}
