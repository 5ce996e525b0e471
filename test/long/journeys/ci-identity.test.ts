import { beforeEach, describe, expect, test } from "@jest/globals";
import { type CliResult, publishResult, writeFiles } from "../../support/cli/cli.ts";
import {
  githubPublisher,
  gitlabClaims,
  newRepository,
  type Repository,
  startGithubJob,
} from "../../support/identity/jobs.ts";
import { useJobIssuers } from "../../support/service/jobs.ts";
import { newSlug } from "../../support/service/steps.ts";
import { useCliUser, useOwner, useRecordedService, useServers } from "../../support/service/suite.ts";

/*
 * svc publish in a CI job without a secret: the built command line as a process, with what GitHub and GitLab give a job.
 */
const service = useRecordedService();
const issuers = useJobIssuers();
const ada = useOwner(service);
const person = useCliUser();
const keep = useServers();
let repository: Repository;
let publishers: string;
beforeEach(() => {
  repository = newRepository();
  publishers = `/projects/${ada.slug}/publishers`;
  writeFiles(`${person.home}/game`, { "index.html": `<h1>${repository.id}` });
});

type Changes = Readonly<Record<string, unknown>>;
type Env = Readonly<Record<string, string>>;
const publish = (env: Env): Promise<CliResult> =>
  person.run(["publish", "game", "--project", ada.slug, "--owner", ada.uid, "--json"], {
    env: { SVC_API: service.api, ...env },
  });

/** Publishes in a job of GitHub, of the trusted repository by default. */
async function inGitHub(changes: Changes = {}, { by = repository, env = {} }: { by?: Repository; env?: Env } = {}) {
  const job = await keep(startGithubJob(issuers.github, by, changes));
  const run = await publish({ ...job.env, ...env });
  const { code, stdout, stderr } = run;
  for (const secret of job.secrets) expect(stdout + stderr).not.toContain(secret);
  return { code, stdout, stderr, result: publishResult(run), audiences: job.audiences };
}

const trustGitHub = (changes: object = {}) =>
  ada.post(publishers, { ...githubPublisher(repository, issuers.github.issuer), ...changes });

const tokenEvents = async () =>
  (await ada.get("/me/events")).body.events
    .map(({ type }: { type: string }) => type)
    .filter((type: string) => /token|release/.test(type));

describe("a job of GitHub that a publisher names", () => {
  test("publishes without a secret, says by what, and revokes its token", async () => {
    await trustGitHub();
    const { code, stderr, result, audiences } = await inGitHub();
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(
        `Publishing as this GitHub job, by its identity and without a stored token.\nThe project ${ada.slug} is Ada Lovelace’s (uid ${ada.uid}).\n`,
      ),
    });
    expect(audiences).toEqual([service.api]);
    expect((await ada.get(`/projects/${ada.slug}`)).body.current_release.id).toBe(result.release);
    expect(await tokenEvents()).toEqual(["release_published", "token_exchanged"]);
    const { stdout } = await person.run(["releases", "--project", ada.slug], {
      env: { SVC_API: service.api, SVC_TOKEN: (await ada.token()).credential },
    });
    expect(stdout).toContain("commit 4f2a9c0, from github ada/star-hopper by ada");
  });

  test("that names no owner publishes nothing until a release has come from its repository, and is told no uid", async () => {
    await trustGitHub();
    const job = await keep(startGithubJob(issuers.github, repository));
    const unnamed = () =>
      person.run(["publish", "game", "--project", ada.slug, "--json"], { env: { SVC_API: service.api, ...job.env } });
    const refused = await unnamed();
    expect({ code: refused.code, error: publishResult(refused).error }).toMatchObject({
      code: 4,
      error: {
        code: "job_refused",
        message: expect.stringMatching(/^This job names no owner, .* svc publish --owner UID/),
      },
    });
    expect(refused.stdout + refused.stderr).not.toContain(ada.uid);
    expect((await ada.get(`/projects/${ada.slug}/releases`)).body.releases).toEqual([]);
    expect((await inGitHub()).code).toBe(0);
    expect((await unnamed()).code).toBe(0);
  });

  test("is used before SVC_TOKEN, which serves a job that nobody trusts", async () => {
    const { credential } = await ada.token();
    const refused = await inGitHub({}, { env: { SVC_TOKEN: credential } });
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(/matches no trusted publisher of .* SVC_TOKEN is used instead\./),
    });
    await trustGitHub();
    expect((await inGitHub({}, { env: { SVC_TOKEN: credential } })).stderr).toContain("Publishing as this GitHub job");
  });
});

const untrusted = (why: string) => `This job matches no trusted publisher of ${ada.slug}: the claim ${why}`;
const anotherRepository =
  "repository_id does not match. Another repository must have a publisher of its own, also one that got an old name.";
const anotherEvent =
  "event_name does not match. The publisher does not trust what started the workflow. What strangers can start is never trusted.";

interface RefusalCase {
  readonly by?: Repository;
  readonly changes?: Changes;
  readonly message: () => string;
  /** The help in the refusal; with `addition` the publisher that would trust the job. */
  readonly next?: RegExp;
  readonly addition?: true;
}

/** The job that has just published, in another way. */
const refusals: [string, RefusalCase][] = [
  [
    "from a fork",
    { by: newRepository("eve/star-hopper"), message: () => untrusted(anotherRepository), addition: true },
  ],
  [
    "from another repository of the owner",
    { by: newRepository("ada/other"), message: () => untrusted(anotherRepository), addition: true },
  ],
  [
    "from another branch",
    {
      changes: { ref: "refs/heads/other", ref_protected: "false" },
      message: () =>
        untrusted(
          "ref_protected does not match. The branch or tag must be protected, or the publisher must name an environment or allow refs that are not protected.",
        ),
      addition: true,
      next: /, any branch \(better: protect the branch, or use an environment\)\.$/,
    },
  ],
  [
    "in a reusable workflow of another repository",
    {
      changes: { job_workflow_ref: "automation/shared/.github/workflows/build.yml@refs/heads/main" },
      message: () =>
        untrusted(
          "job_workflow_ref does not match. The job must be written in the workflow's own file, not in a reusable workflow.",
        ),
      next: /^The job is written in the reusable workflow automation\/shared\/\.github\/workflows\/build\.yml, .* into \.github\/workflows\/publish\.yml, with the build as an artifact\.$/,
    },
  ],
  [
    "on a schedule",
    {
      changes: { event_name: "schedule" },
      message: () => untrusted(anotherEvent),
      addition: true,
      next: /, event schedule\.$/,
    },
  ],
  [
    "for a fork's pull request, by pull_request_target",
    {
      changes: { event_name: "pull_request_target" },
      message: () => untrusted(anotherEvent),
      next: /^Let a workflow publish that a push, a release or a person starts\.$/,
    },
  ],
  [
    "a second time, with the same identity token",
    {
      changes: { jti: "used" },
      message: () =>
        "The job's identity token was exchanged already, and each is exchanged once. Request a new one from the CI provider.",
    },
  ],
];

describe("a job that publishes without a secret is refused", () => {
  test.each(refusals)("%s", async (_, { by = repository, changes = {}, message, next, addition }) => {
    await trustGitHub();
    const { jti } = changes;
    const published = await inGitHub({ ...(jti !== undefined && { jti }) });
    expect({ code: published.code, event: published.result.event }).toEqual({ code: 0, event: "published" });
    writeFiles(`${person.home}/game`, { "index.html": "another" });
    const { code, result } = await inGitHub(changes, { by });
    expect({ code, error: result.error }).toMatchObject({
      code: 4,
      error: { code: "job_refused", message: message() },
    });
    const publisher = `svc open publishers --project ${ada.slug} opens: repository ${issuers.github.issuer}/${by.name} (number ${by.id}, owner ${by.ownerId}), workflow file .github/workflows/publish.yml`;
    expect(result.error.next?.includes(publisher) || undefined).toBe(addition);
    if (next) expect(result.error.next).toMatch(next);
    expect((await ada.get(`/projects/${ada.slug}`)).body.current_release.id).toBe(published.result.release);
  });
});

describe("a job that no publisher names", () => {
  test("gets in once the owner has added the publisher that it printed", async () => {
    const { result } = await inGitHub({ environment: "production", ref_protected: "false" });
    expect(result.error.next).toMatch(/, environment production\.$/);
    await trustGitHub({ environment: "production", repository: "ada/star-hopper" });
    expect((await inGitHub({ environment: "production", ref_protected: "false" })).code).toBe(0);
    const { credential } = await ada.token({ scopes: ["projects"] });
    const env = { SVC_API: service.api, SVC_TOKEN: credential };
    const listed = await person.run(["publishers", "--project", ada.slug], { env });
    expect(listed.stdout).toContain("github ada/star-hopper");
    expect(listed.stdout).toContain("in the environment production");
  });

  test.each([
    ["GITHUB_ACTIONS", "Give the job the permission id-token: write, which a fork's pull request never gets"],
    ["GITLAB_CI", "Name SVC_ID_TOKEN in the id_tokens of the job"],
  ])("of %s without an identity says how to get one", async (provider, next) => {
    const { code, stdout } = await publish({ [provider]: "true" });
    expect({ code, error: publishResult({ stdout }).error }).toMatchObject({
      code: 4,
      error: { code: "not_logged_in", next: expect.stringContaining(next) },
    });
  });

  test("with a wrong request token for identities is refused by the runner's token service, which is named", async () => {
    const { code, result } = await inGitHub({}, { env: { ACTIONS_ID_TOKEN_REQUEST_TOKEN: "wrong" } });
    expect({ code, error: result.error }).toMatchObject({
      code: 4,
      error: {
        code: "no_identity_token",
        message: expect.stringMatching(/^The token service of the CI runner, http:\S+, responded with 401\.$/),
        next: "Give the job the permission id-token: write, or set SVC_TOKEN.",
      },
    });
    expect(result.error.message).not.toContain(service.api);
  });

  test("sends its request token to no server without https", async () => {
    const { code, result } = await inGitHub({}, { env: { ACTIONS_ID_TOKEN_REQUEST_URL: "http://evil.example/" } });
    expect({ code, error: result.error.code }).toEqual({ code: 4, error: "no_identity_token" });
  });
});

describe("a job of a project that does not exist yet", () => {
  const inNewProject = async (flags: readonly string[]) => {
    const job = await keep(startGithubJob(issuers.github, repository));
    const run = ["publish", "game", "--project", slug, "--json", ...flags];
    return await person.run(run, { env: { SVC_API: service.api, ...job.env } });
  };
  let slug: string;
  beforeEach(async () => {
    slug = newSlug();
    const publisher = githubPublisher(repository, issuers.github.issuer);
    expect((await ada.post("/publishers", { project: slug, publisher })).status).toBe(200);
  });

  test("creates it for the account that --owner names, and for no other one", async () => {
    const other = await inNewProject(["--owner", "eve"]);
    expect({ code: other.code, error: publishResult(other).error.code }).toEqual({ code: 4, error: "job_refused" });
    const { code, stderr } = await inNewProject(["--owner", ada.uid]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(`The project ${slug} is Ada Lovelace’s (uid ${ada.uid}).\n`),
    });
    expect((await ada.get(`/projects/${slug}`)).body.current_release).not.toBeNull();
  });

  test("is told to name the owner", async () => {
    const { code, stdout } = await inNewProject([]);
    expect({ code, error: publishResult({ stdout }).error.message }).toEqual({
      code: 4,
      error: expect.stringContaining("name your account in the job: svc publish --owner UID"),
    });
  });
});

describe("a job of GitLab", () => {
  const idToken = (changes: Changes = {}) =>
    issuers.gitlab.idToken({
      claims: { aud: service.api, ...gitlabClaims(repository, issuers.gitlab.issuer, changes) },
    });
  const trustGitLab = () =>
    ada.post(publishers, {
      provider: "gitlab",
      issuer: issuers.gitlab.issuer,
      project_id: repository.id,
      namespace_id: repository.ownerId,
    });

  test("publishes with SVC_ID_TOKEN", async () => {
    await trustGitLab();
    const { code, stderr } = await publish({ GITLAB_CI: "true", SVC_ID_TOKEN: idToken() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("Publishing as this GitLab job") });
  });

  test("runs a second command with its second identity token", async () => {
    await trustGitLab();
    const job = { GITLAB_CI: "true", SVC_ID_TOKEN: idToken() };
    expect((await publish(job)).code).toBe(0);
    const { code, stdout } = await publish(job);
    expect({ code, error: publishResult({ stdout }).error.code }).toEqual({ code: 4, error: "no_identity_token" });
    expect((await publish({ ...job, SVC_ID_TOKEN_2: idToken() })).code).toBe(0);
  });

  test("is refused with a publisher that would match", async () => {
    const result = await publish({ GITLAB_CI: "true", SVC_ID_TOKEN: idToken() });
    expect(result.code).toBe(4);
    expect(publishResult(result).error.next).toContain(
      `(number ${repository.id}, group ${repository.ownerId}), pipeline file .gitlab-ci.yml`,
    );
  });
});
