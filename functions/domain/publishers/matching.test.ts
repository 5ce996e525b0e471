import { expect, test } from "@jest/globals";
import { githubClaims, gitlabClaims, newRepository } from "../../../test/support/identity/jobs.ts";
import type { JobIdentity, TrustedPublisher } from "../../entities/publisher.ts";
import { isMatch, matchingPublisher, noMatch } from "./matching.ts";

/*
 * Jobs that a publisher trusts: the claims are those that GitHub and GitLab document.
 */
type Changes = Readonly<Record<string, unknown>>;
const repository = newRepository();
const added = {
  createdAt: "2026-11-01T00:00:00.000Z",
  addedBy: "ada",
  environment: null,
  refProtected: true,
  repository: null,
};
const githubIssuer = "https://token.actions.githubusercontent.com";
const gitlabIssuer = "https://gitlab.com";

const github = {
  ...added,
  id: "github",
  provider: "github",
  issuer: githubIssuer,
  repositoryId: repository.id,
  repositoryOwnerId: repository.ownerId,
  workflow: ".github/workflows/publish.yml",
  events: ["push", "release"],
} as const satisfies TrustedPublisher;

const gitlab = {
  ...added,
  id: "gitlab",
  provider: "gitlab",
  issuer: gitlabIssuer,
  projectId: repository.id,
  namespaceId: repository.ownerId,
  ciConfigPath: ".gitlab-ci.yml",
} as const satisfies TrustedPublisher;

const jobOf = (provider: JobIdentity["provider"], issuer: string, claims: Changes): JobIdentity => ({
  ...{ provider, issuer, claims },
  id: "1",
  expiresAt: 1,
});
const githubJob = (changes: Changes = {}) => jobOf("github", githubIssuer, githubClaims(repository, changes));
const gitlabJob = (changes: Changes = {}) =>
  jobOf("gitlab", gitlabIssuer, gitlabClaims(repository, gitlabIssuer, changes));

function match(publishers: readonly TrustedPublisher[], job: JobIdentity): string {
  try {
    return matchingPublisher({ slug: "star-hopper", publishers }, job).id;
  } catch (error) {
    const { code, reason, detail } = error as { code: string; reason: string; detail: string };
    const claim = reason.replace("no publisher: ", "");
    // The refusal names the claim, and says what to do about it.
    const isTold = new RegExp(`: the claim ${claim} does not match\\.${claim === "iss" ? "" : " [A-Z]\\w+ .*\\."}$`);
    return isTold.test(detail) ? `${code}: ${claim}` : detail;
  }
}

test("a job that a publisher describes matches it, also among several publishers", () => {
  const others = [gitlab, { ...github, id: "other", repositoryId: "1" }];
  expect(match([...others, github], githubJob())).toBe("github");
  expect(match([github, gitlab], gitlabJob())).toBe("gitlab");
  expect([isMatch(github, githubJob()), isMatch(github, gitlabJob()), isMatch(gitlab, gitlabJob())]).toEqual([
    true,
    false,
    true,
  ]);
});

/** Jobs that are not the publisher's: what they change of its claims, and the claim that the refusal names. */
const githubAttacks: [string, Changes, string][] = [
  ["another repository that got the old name", { repository_id: "99" }, "repository_id"],
  ["the repository after its owner gave it away", { repository_owner_id: "99" }, "repository_owner_id"],
  [
    "a repository of an owner with a recycled name",
    { repository_id: "99", repository_owner_id: "98" },
    "repository_id",
  ],
  ["a fork's pull request by pull_request_target", { event_name: "pull_request_target" }, "event_name"],
  ["a fork's pull request by workflow_run", { event_name: "workflow_run" }, "event_name"],
  ["a comment by anybody", { event_name: "issue_comment" }, "event_name"],
  ["a pull request, which the publisher does not name", { event_name: "pull_request" }, "event_name"],
  [
    "another workflow of the same repository",
    {
      workflow_ref: "ada/star-hopper/.github/workflows/other.yml@refs/heads/main",
      job_workflow_ref: "ada/star-hopper/.github/workflows/other.yml@refs/heads/main",
    },
    "workflow_ref",
  ],
  [
    "a workflow whose name begins with that of the trusted one",
    {
      workflow_ref: "ada/star-hopper/.github/workflows/publish.yml@x.yml@refs/heads/main",
      job_workflow_ref: "ada/star-hopper/.github/workflows/publish.yml@x.yml@refs/heads/main",
    },
    "workflow_ref",
  ],
  [
    "a required workflow of another repository",
    { workflow_ref: "eve/star-hopper/.github/workflows/publish.yml@refs/heads/main" },
    "workflow_ref",
  ],
  [
    "a reusable workflow of another repository",
    { job_workflow_ref: "eve/star-hopper/.github/workflows/publish.yml@refs/heads/main" },
    "job_workflow_ref",
  ],
  [
    "the trusted file, called from another workflow",
    { workflow_ref: "ada/star-hopper/.github/workflows/other.yml@refs/heads/main" },
    "workflow_ref",
  ],
  [
    "a file whose name differs in case alone",
    { workflow_ref: "ada/star-hopper/.github/workflows/Publish.yml@refs/heads/main" },
    "workflow_ref",
  ],
  [
    "a repository whose name has a Kelvin sign for its k",
    { repository: "ada/k", workflow_ref: "ada/\u212a/.github/workflows/publish.yml@refs/heads/main" },
    "workflow_ref",
  ],
  ["another branch, which is not protected", { ref: "refs/heads/other", ref_protected: "false" }, "ref_protected"],
];

const gitlabAttacks: [string, Changes, string][] = [
  ["a fork's merge request", { project_id: "99", namespace_id: "98" }, "project_id"],
  ["a fork's merge request in the parent project", { pipeline_source: "merge_request_event" }, "pipeline_source"],
  ["a merge request of another host", { pipeline_source: "external_pull_request_event" }, "pipeline_source"],
  ["a pipeline that another project's job started", { pipeline_source: "pipeline" }, "pipeline_source"],
  ["a pipeline of a trigger token", { pipeline_source: "trigger" }, "pipeline_source"],
  ["a pipeline of a chat", { pipeline_source: "chat" }, "pipeline_source"],
  ["a source that GitLab adds one day", { pipeline_source: "agent" }, "pipeline_source"],
  ["a merge request's ref, whatever started it", { ref_type: "merge_request" }, "ref_type"],
  [
    "a pipeline's file whose name differs in case alone",
    { ci_config_ref_uri: "gitlab.com/ada/star-hopper//.GitLab-ci.yml@refs/heads/main" },
    "ci_config_ref_uri",
  ],
  ["the project after it moved to another group", { namespace_id: "98" }, "namespace_id"],
  [
    "a pipeline's file of another project",
    { ci_config_ref_uri: "gitlab.com/eve/x//.gitlab-ci.yml@main" },
    "ci_config_ref_uri",
  ],
  ["another branch, which is not protected", { ref_protected: "false" }, "ref_protected"],
];

test.each(githubAttacks)("%s matches no publisher of GitHub, and the refusal names the claim", (_, changes, claim) => {
  expect(match([github], githubJob(changes))).toBe(`invalid_request: ${claim}`);
});

test.each(gitlabAttacks)("%s matches no publisher of GitLab, and the refusal names the claim", (_, changes, claim) => {
  expect(match([gitlab], gitlabJob(changes))).toBe(`invalid_request: ${claim}`);
});

const comparedClaims = {
  github: ["repository_id", "repository_owner_id", "workflow_ref", "job_workflow_ref", "event_name", "ref_protected"],
  gitlab: ["project_id", "namespace_id", "pipeline_source", "ref_type", "ci_config_ref_uri", "ref_protected"],
} as const;

test.each([
  ...comparedClaims.github.map((claim) => ["GitHub", claim, github, githubJob] as const),
  ...comparedClaims.gitlab.map((claim) => ["GitLab", claim, gitlab, gitlabJob] as const),
])("a job of %s without a value of %s matches nothing", (_, claim, publisher, jobWith) => {
  for (const none of [undefined, null, ""])
    expect(match([publisher], jobWith({ [claim]: none }))).toBe(`invalid_request: ${claim}`);
});

test.each(["push", "web", "api", "schedule"])("a pipeline of GitLab that %s started matches", (source) => {
  expect(match([gitlab], gitlabJob({ pipeline_source: source }))).toBe("gitlab");
  expect(match([gitlab], gitlabJob({ pipeline_source: source, ref_type: "tag" }))).toBe("gitlab");
});

test("an environment of GitHub is compared without case in ASCII alone", () => {
  const publisher = { ...github, environment: "Kiosk" };
  expect(match([publisher], githubJob({ environment: "kIOSK" }))).toBe("github");
  // The Kelvin sign, whose lower case is k.
  expect(match([publisher], githubJob({ environment: "\u212aiosk" }))).toBe("invalid_request: environment");
});

test("the other provider's job, and one of another issuer, match nothing with the same claims", () => {
  const { claims } = githubJob();
  expect(match([github], jobOf("gitlab", githubIssuer, claims))).toBe("invalid_request: iss");
  expect(isMatch(github, jobOf("gitlab", githubIssuer, claims))).toBe(false);
  expect(match([github], jobOf("github", "https://github.example", claims))).toBe("invalid_request: iss");
  const elsewhere = { ...github, issuer: "https://github.example" };
  expect(match([elsewhere], githubJob({ event_name: "schedule" }))).toBe("invalid_request: iss");
});

test("the refusal names the claim of the publisher that fits best", () => {
  const another = { ...github, repositoryId: "1" };
  expect(match([another, github, another], githubJob({ event_name: "schedule" }))).toBe("invalid_request: event_name");
});

test("a project without publishers says how to add one", () => {
  expect(() => matchingPublisher({ slug: "star-hopper" }, githubJob())).toThrow(
    expect.objectContaining({ detail: expect.stringContaining("Its owner adds one in the dashboard.") }),
  );
});

test("only a job of a project that exists could be let in by another trusted publisher", () => {
  const publishers = [github];
  const of = (kind: "trusted" | "pending") =>
    noMatch({ slug: "star-hopper", publishers, kind }, githubJob({ repository_id: "2" }));
  expect(of("trusted")).toMatchObject({ needs: "publisher" });
  const { needs, detail } = of("pending");
  expect({ needs, detail }).toEqual({
    needs: undefined,
    detail: expect.stringContaining("no pending publisher of star-hopper: the claim repository_id does not match."),
  });
});

test("an environment must be the one of the publisher, which GitHub writes in any case and GitLab does not", () => {
  const environment = "Production";
  const [onGitHub, onGitLab] = [
    { ...github, environment },
    { ...gitlab, environment },
  ];
  expect(match([onGitHub], githubJob({ environment: "production" }))).toBe("github");
  expect(match([onGitLab], gitlabJob({ environment: "Production" }))).toBe("gitlab");
  for (const refused of [
    match([onGitHub], githubJob({ environment: "staging" })),
    match([onGitHub], githubJob()),
    match([onGitLab], gitlabJob({ environment: "production" })),
    match([onGitLab], gitlabJob()),
  ])
    expect(refused).toBe("invalid_request: environment");
});

test("a branch that is not protected is accepted if the publisher does not ask for it, and names of repositories have no case", () => {
  const changes = { ref: "refs/heads/other", ref_protected: "false" };
  expect(match([{ ...github, refProtected: false }], githubJob(changes))).toBe("github");
  expect(match([{ ...gitlab, refProtected: false }], gitlabJob({ ref_protected: false }))).toBe("gitlab");
  expect(match([gitlab], gitlabJob({ ref_protected: true }))).toBe("gitlab");
  expect(match([github], githubJob({ repository: "Ada/Star-Hopper" }))).toBe("github");
});
