import { beforeEach, describe, expect, test } from "@jest/globals";
import { useAction, writtenFor } from "../../support/cli/action.ts";
import { type CliResult, publishResult, writeFiles } from "../../support/cli/cli.ts";
import {
  githubPublisher,
  gitlabClaims,
  newRepository,
  type Repository,
  startGithubJob,
} from "../../support/identity/jobs.ts";
import { useJobIssuers } from "../../support/service/jobs.ts";
import { liveRelease, newSlug } from "../../support/service/steps.ts";
import { useCliUser, useOwner, useRecordedService, useServers } from "../../support/service/suite.ts";

/*
 * svc publish in a CI job without a secret: the built command line and the action as processes, with what GitHub and GitLab give a job. Which
 * jobs are refused: functions/domain/publishers/matching.test.ts, test/api/publishers/exchange-refusals.test.ts.
 */
const service = useRecordedService();
const issuers = useJobIssuers();
const ada = useOwner(service);
const person = useCliUser();
const action = useAction(() => ({ project: ada.slug, owner: ada.uid, api: service.api }));
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
  test("publishes without a secret, says by what, and keeps no token; a fork's job does not", async () => {
    await trustGitHub();
    const { code, stderr, result, audiences } = await inGitHub();
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining(
        `Publishing as this GitHub job, by its identity and without a stored token.\nThe project ${ada.slug} is Ada Lovelace’s (uid ${ada.uid}).\n`,
      ),
    });
    expect(audiences).toEqual([service.api]);
    expect(await liveRelease(ada, ada.slug)).toBe(result.release);
    expect(await tokenEvents()).toEqual(["release_published", "token_exchanged"]);
    const { stdout } = await person.run(["releases", "--project", ada.slug], {
      env: { SVC_API: service.api, SVC_TOKEN: (await ada.token()).credential },
    });
    expect(stdout).toContain("commit 4f2a9c0, from github ada/star-hopper by ada");
    writeFiles(`${person.home}/game`, { "index.html": "another" });
    const refused = await inGitHub({}, { by: newRepository("eve/star-hopper") });
    expect({ code: refused.code, error: refused.result.error.code }).toEqual({ code: 4, error: "job_refused" });
    expect(await liveRelease(ada, ada.slug)).toBe(result.release);
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
});

test("a job creates a project that does not exist yet for the account that --owner names", async () => {
  const slug = newSlug();
  const publisher = githubPublisher(repository, issuers.github.issuer);
  expect((await ada.post("/publishers", { project: slug, publisher })).status).toBe(200);
  const job = await keep(startGithubJob(issuers.github, repository));
  const { code, stderr } = await person.run(["publish", "game", "--project", slug, "--owner", ada.uid], {
    env: { SVC_API: service.api, ...job.env },
  });
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining(`The project ${slug} is Ada Lovelace’s (uid ${ada.uid}).\n`),
  });
  expect((await ada.get(`/projects/${slug}`)).body.current_release).not.toBeNull();
});

test("a job of GitLab publishes with SVC_ID_TOKEN", async () => {
  const [project_id, namespace_id] = [repository.id, repository.ownerId];
  await ada.post(publishers, { provider: "gitlab", issuer: issuers.gitlab.issuer, project_id, namespace_id });
  const claims = { aud: service.api, ...gitlabClaims(repository, issuers.gitlab.issuer) };
  const { code, stderr } = await publish({ GITLAB_CI: "true", SVC_ID_TOKEN: issuers.gitlab.idToken({ claims }) });
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("Publishing as this GitLab job") });
});

test("the action publishes with the job's identity, and shows nothing of it", async () => {
  await trustGitHub();
  const job = await keep(startGithubJob(issuers.github, repository));
  const { code, log, masks, written } = await action.run({ env: job.env });
  expect({ code, log }).toEqual({
    code: 0,
    log: expect.stringContaining("by its identity and without a stored token.\n"),
  });
  for (const secret of job.secrets) expect(log + Object.values(written).join("")).not.toContain(secret);
  expect(masks).toContain(job.env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"]);
  const release = await liveRelease(ada, ada.slug);
  const url = `http://${ada.slug}.${service.gamesDomain}/`;
  expect(written).toEqual(writtenFor({ slug: ada.slug, url, release }));
  const [{ provenance }] = (await ada.get(`/projects/${ada.slug}/releases`)).body.releases;
  expect(provenance).toMatchObject({ repository: "ada/star-hopper", repository_id: repository.id, actor: "ada" });
});
