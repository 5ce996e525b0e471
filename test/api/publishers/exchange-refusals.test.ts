import { describe, expect, test } from "@jest/globals";
import { reinstateProject, suspendProject } from "../../../functions/domain/accounts/suspensions.ts";
import { accountKey, keys } from "../../../functions/table/keys.ts";
import { githubPublisher } from "../../support/identity/jobs.ts";
import { exchangeAt, useJobs } from "../../support/service/jobs.ts";
import { overtakenBy } from "../../support/service/overtaken.ts";
import { newProject, publish } from "../../support/service/steps.ts";
import { itemsOf, setAttribute } from "../../support/table/stored.ts";

/*
 * CI jobs that get no token. That the rules of a publisher and of identity tokens are asked is shown by one of each:
 * functions/domain/publishers/matching.test.ts and functions/identity/job-token.test.ts have all of them.
 */
const jobs = useJobs();
const { service, actors, ada, path, issuers, repository, trustGitHub, trustGitLab, githubJob, gitlabJob, exchange } =
  jobs;

async function expectRefused(job: string, claim: string, error = "invalid_request"): Promise<void> {
  const key = accountKey(service.issuer, ada.uid);
  const before = await itemsOf(service, keys.account(key).PK);
  const { status, body } = await exchange(job);
  expect({ status, error: body.error }).toEqual({ status: 400, error });
  expect(body.error_description).toContain(claim);
  expect(await itemsOf(service, keys.account(key).PK)).toEqual(before);
}

test("no token is given to a job that differs from the publisher in a claim, which the refusal names", async () => {
  await trustGitHub();
  await expectRefused(githubJob({ event_name: "pull_request_target" }), " event_name ");
  // A client offers to add one.
  expect((await exchange(githubJob({ event_name: "schedule" }))).body.needs).toBe("publisher");
});

test("no token is given to a job whose identity token is for another stage", async () => {
  await trustGitHub();
  await expectRefused(githubJob({ aud: "https://api.other.example" }), `aud: must be ${service.api} alone`);
});

test("no token is given while the issuer's keys cannot be fetched, which is not the job's fault", async () => {
  issuers.gitlab.rotate();
  issuers.gitlab.respondWith((response) => response.writeHead(500).end());
  const { status, headers, body } = await exchange(gitlabJob());
  expect({ status, error: body.error, retry: headers.get("retry-after") }).toEqual({
    status: 503,
    error: "identity_provider_unavailable",
    retry: "5",
  });
});

test("no token is given for a second exchange of an identity token, and for one of two that race", async () => {
  await trustGitHub();
  const job = githubJob();
  const racing = await Promise.all([exchange(job), exchange(job)]);
  expect(racing.map(({ status }) => status).toSorted()).toEqual([200, 400]);
  await expectRefused(job, "exchanged already");
  // A client that has another one sends that.
  expect((await exchange(job)).body.needs).toBe("identity_token");
});

test("no token is given if the project is another account's than the job names, although it trusts the job", async () => {
  await trustGitHub();
  const refused = await exchange(githubJob(), { owner: "eve" });
  expect(refused).toMatchObject({
    status: 400,
    body: {
      error: "invalid_target",
      error_description: expect.stringContaining("is not of the account that this job names"),
    },
  });
  expect(JSON.stringify(refused.body)).not.toContain(ada.uid);
  expect((await exchange(githubJob(), { owner: ada.uid })).status).toBe(200);
});

describe("a job that names no owner", () => {
  const unnamed = { owner: undefined };
  const refusal = {
    status: 400,
    body: {
      error: "invalid_target",
      error_description: expect.stringMatching(/^This job names no owner, and no release .* svc publish --owner UID/),
    },
  };

  test("gets no token for a project with no release from its repository, and does not learn whose it is", async () => {
    await trustGitHub();
    await publish(ada, ada.slug, { "index.html": "<p>by a person" });
    for (const scope of [undefined, "publish", "preview"]) {
      const refused = await exchange(githubJob(), { ...unnamed, scope });
      expect(refused).toMatchObject(refusal);
      expect(JSON.stringify(refused.body)).not.toContain(ada.uid);
    }
    const { body } = await exchange(githubJob());
    await publish(actors.bearer(body.access_token), ada.slug, { "index.html": "<p>by its job" });
    expect((await exchange(githubJob(), unnamed)).status).toBe(200);
  });

  test("gets no token because a job of another repository has published, also one with its number at another provider", async () => {
    await trustGitHub();
    await trustGitLab();
    const { body } = await exchange(gitlabJob());
    await publish(actors.bearer(body.access_token), ada.slug, { "index.html": "<p>by GitLab" });
    expect(await exchange(githubJob(), unnamed)).toMatchObject(refusal);
    expect((await exchange(gitlabJob(), unnamed)).status).toBe(200);
  });

  test("gets no token for a project that somebody created after its own was deleted for good", async () => {
    await trustGitHub();
    const { body } = await exchange(githubJob());
    await publish(actors.bearer(body.access_token), ada.slug, { "index.html": "<p>by its job" });
    expect((await exchange(githubJob(), unnamed)).status).toBe(200);
    const eve = await actors.otherDeveloper();
    const squatted = await newProject(eve);
    const publisher = githubPublisher(repository(), issuers.github.issuer);
    expect((await eve.post(`/projects/${squatted}/publishers`, publisher)).status).toBe(200);
    expect(await exchangeAt(service, squatted, githubJob())).toMatchObject(refusal);
  });
});

test("no token is given for a person's ID token", async () => {
  await trustGitHub();
  await expectRefused(ada.credential, "iss:");
});

test("no token is given for a project that does not exist, is deleted or suspended, or is of another API", async () => {
  const wrong = (resource: string) => exchange(githubJob(), { resource });
  for (const resource of [
    `${service.api}/projects/no-such-game`,
    `https://evil.example/projects/${ada.slug}`,
    ada.slug,
  ])
    expect(await wrong(resource)).toMatchObject({ status: 400, body: { error: "invalid_target" } });
  const { body } = await wrong(`${service.api}/projects/no-such-game`);
  expect(body.error_description).toContain("svc publish --owner UID");
  await trustGitHub();
  await suspendProject(ada.slug, "malware", new Date());
  await expectRefused(githubJob(), "suspended", "invalid_target");
  await reinstateProject(ada.slug, new Date());
  await ada.delete(`/projects/${ada.slug}`);
  await expectRefused(githubJob(), "deleted", "invalid_target");
});

test("no token is given for a project of an account that is suspended", async () => {
  await trustGitHub();
  const key = keys.account(accountKey(service.issuer, ada.uid));
  await setAttribute(service, key, "suspension", { at: new Date().toISOString(), reason: "spam" });
  expect(await exchange(githubJob())).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
});

test("no token is given if the publisher is removed during the exchange", async () => {
  const publisher = await trustGitHub();
  const response = await overtakenBy(service)(
    () => exchange(githubJob()),
    () => ada.delete(`${path("publishers")}/${publisher}`),
  );
  expect(response).toMatchObject({ status: 400, body: { error: "invalid_request" } });
});

test("no token is given to a request without one of its parameters, or for more than publishing", async () => {
  await trustGitHub();
  for (const name of ["subject_token", "subject_token_type", "resource"])
    expect(await exchange(githubJob(), { [name]: "" })).toMatchObject({
      status: 400,
      body: { error: "invalid_request" },
    });
  for (const scope of ["projects", "preview publish", "publish projects"])
    expect(await exchange(githubJob(), { scope })).toMatchObject({ body: { error: "invalid_scope" } });
});
