import { expect, test } from "@jest/globals";
import { keys } from "../../../functions/table/keys.ts";
import { eventually } from "../../support/eventually.ts";
import { useJobs } from "../../support/service/jobs.ts";
import { addMember } from "../../support/service/operations.ts";
import { publish } from "../../support/service/steps.ts";
import { itemsOf, storedItem } from "../../support/table/stored.ts";

/*
 * Exchange of a CI job's identity token. Which jobs a publisher trusts is in functions/domain/publishers/matching.test.ts, which identity
 * tokens are accepted in functions/identity/job-token.test.ts.
 */
const { service, actors, ada, issuers, repository, path, trustGitHub, trustGitLab, githubJob, gitlabJob, ...jobs } =
  useJobs();
const { exchange, tokenOf } = jobs;

const githubRun = () => ({
  provider: "github",
  repository: "ada/star-hopper",
  repository_id: repository().id,
  commit: "4f2a9c01d7e85b36a0c4418f9d2b7e6350aa1c88",
  ref: "refs/heads/main",
  workflow: ".github/workflows/publish.yml",
  actor: "ada",
  run_url: `${issuers.github.issuer}/ada/star-hopper/actions/runs/22259804324`,
});
const gitlabRun = () => ({
  ...githubRun(),
  provider: "gitlab",
  commit: "8fe1b322a576d59fe6257052a4107df7dc1b8c78",
  workflow: ".gitlab-ci.yml",
  run_url: `${issuers.gitlab.issuer}/ada/star-hopper/-/jobs/8222997048`,
});

test.each([
  ["GitHub", trustGitHub, githubJob, githubRun],
  ["GitLab", trustGitLab, gitlabJob, gitlabRun],
])("a job of %s gets a token of 15 minutes that publishes, and its run stays in the release", async (...provider) => {
  const [, trust, job, run] = provider;
  const publisherId = await trust();
  const { status, body, headers } = await exchange(job());
  expect({ status, cache: headers.get("cache-control") }).toEqual({ status: 200, cache: "no-store" });
  expect(body).toEqual({
    access_token: expect.stringMatching(/^pat_/),
    issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
    token_type: "Bearer",
    expires_in: 900,
    scope: "publish",
    owner: { uid: ada.uid, name: "Ada Lovelace" },
  });
  const release = await publish(actors.bearer(body.access_token), ada.slug, { "index.html": "<p>by CI" });
  expect((await ada.get(`/projects/${ada.slug}`)).body.current_release.id).toBe(release);
  const { events } = (await ada.get("/me/events")).body;
  expect(events).toContainEqual(
    expect.objectContaining({ type: "token_exchanged", project: ada.slug, publisher_id: publisherId }),
  );
  const { releases } = (await ada.get(path("releases"))).body;
  const published_by = { token: { name: "CI of ada/star-hopper" } };
  expect(releases).toMatchObject([{ provenance: run(), published_by }]);
  // The job's token is one of the owner's account, who has not published that: others see the run alone.
  const member = await actors.developer();
  await addMember(ada, ada.slug, member, "publisher");
  await publish(ada, ada.slug, { "index.html": "<p>by hand" });
  const asMember = (await member.get(path("releases"))).body.releases;
  expect(asMember).toMatchObject([
    { provenance: null, published_by: { uid: ada.uid } },
    { provenance: run(), published_by: null, first_published_by: null },
  ]);
  const byMember = await publish(member, ada.slug, { "index.html": "<p>by a member" });
  const { body: asJob } = await actors.bearer(body.access_token).get(path(`releases/${byMember}`));
  expect(asJob).toMatchObject({ published_by: null, first_published_by: null });
  // GitLab's identity tokens have the email address of who started the run.
  expect(JSON.stringify(await itemsOf(service, keys.project(ada.slug).PK))).not.toContain("ada@example.com");
});

test("the token of a job is named by the beginning of a repository's long name", async () => {
  await trustGitHub();
  const name = `ada/${"x".repeat(100)}`;
  const file = `${name}/.github/workflows/publish.yml@refs/heads/main`;
  const job = githubJob({ repository: name, workflow_ref: file, job_workflow_ref: file });
  await publish(await tokenOf(job), ada.slug, { "index.html": "<p>by CI" });
  const { releases } = (await ada.get(path("releases"))).body;
  expect(releases[0].published_by.token.name).toBe(`CI of ${name}`.slice(0, 80));
});

test("an exchange takes three round trips, one after the other", async () => {
  await trustGitHub();
  await tokenOf(githubJob());
  const calls = await service.recorder.during(() => tokenOf(githubJob()));
  expect(calls.map(({ operation }) => operation)).toEqual(["BatchGetItem", "BatchGetItem", "TransactWriteItems"]);
});

test("a spent identity token is remembered for an hour after its expiry", async () => {
  await trustGitHub();
  const { issuer } = issuers.github;
  const idToken = githubJob();
  await tokenOf(idToken);
  const { jti, exp } = JSON.parse(Buffer.from(idToken.split(".")[1] ?? "", "base64url").toString());
  expect(await storedItem(service, keys.spentIdentity({ issuer, id: jti }))).toMatchObject({ ttl: exp + 60 * 60 });
});

test("nothing of an identity token, refused or accepted, is in the service's output", async () => {
  await trustGitHub();
  const secret = "very-secret-branch";
  const sent = [
    githubJob(),
    githubJob({ ref: `refs/heads/${secret}`, event_name: secret }),
    githubJob({ aud: secret }),
  ];
  for (const job of sent) await exchange(job);
  await eventually(() => expect(service.output()).toContain("no publisher: "));
  const output = service.output();
  for (const job of sent) expect(output).not.toContain(job.split(".")[1]);
  expect(output).not.toContain(secret);
});
