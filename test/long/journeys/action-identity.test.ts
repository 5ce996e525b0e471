import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "@jest/globals";
import { type Step, useAction, useGitHub, writtenFor } from "../../support/cli/action.ts";
import { writeFiles } from "../../support/cli/cli.ts";
import {
  githubPublisher,
  newRepository,
  type Repository,
  startGithubJob,
  startJobIssuers,
} from "../../support/identity/jobs.ts";
import { startService } from "../../support/service/service.ts";
import { liveRelease, newSlug } from "../../support/service/steps.ts";
import { duringTests, useOwner, useServers } from "../../support/service/suite.ts";

/* The action in a job with an identity and without a secret. */

const issuers = duringTests(startJobIssuers);
const service = duringTests(() => startService({ env: issuers.env }));
const ada = useOwner(service);
const action = useAction(() => ({ project: ada.slug, owner: ada.uid, api: service.api }));
const github = useGitHub();
const keep = useServers();
let repository: Repository;
beforeEach(() => {
  repository = newRepository();
});

const trust = (changes: object = {}) =>
  ada.post(`/projects/${ada.slug}/publishers`, { ...githubPublisher(repository, issuers.github.issuer), ...changes });

/** Runs the step in a job of the repository. */
async function runInJob({ claims = {}, env, ...step }: Step & { readonly claims?: object } = {}) {
  const job = await keep(startGithubJob(issuers.github, repository, { ...claims }));
  const ran = await action.run({ ...step, env: { ...job.env, ...env } });
  for (const secret of job.secrets) expect(ran.log + Object.values(ran.written).join("")).not.toContain(secret);
  expect(ran.masks).toContain(job.env["ACTIONS_ID_TOKEN_REQUEST_TOKEN"]);
  return ran;
}

test("publishes with the job's identity, writes outputs and summary, and the release says which job it was", async () => {
  await trust();
  const { code, log, written } = await runInJob();
  expect({ code, log }).toEqual({
    code: 0,
    log: expect.stringContaining("by its identity and without a stored token.\n"),
  });
  const release = await liveRelease(ada, ada.slug);
  const url = `http://${ada.slug}.${service.gamesDomain}/`;
  expect(written).toEqual(writtenFor({ slug: ada.slug, url, release }));
  const [{ provenance }] = (await ada.get(`/projects/${ada.slug}/releases`)).body.releases;
  expect(provenance).toMatchObject({ repository: "ada/star-hopper", repository_id: repository.id, actor: "ada" });

  const again = await runInJob();
  expect(again.written["GITHUB_OUTPUT"]).toBe(`url=${url}\nrelease=${release}\nchanged=false\nstatus=live\n`);
});

test("creates a project for the account that the input owner names, and the log says whose it is", async () => {
  const slug = newSlug();
  const publisher = githubPublisher(repository, issuers.github.issuer);
  expect((await ada.post("/publishers", { project: slug, publisher })).status).toBe(200);
  const unnamed = await runInJob({ inputs: { project: slug, owner: "" } });
  expect({ code: unnamed.code, log: unnamed.log }).toEqual({
    code: 4,
    log: expect.stringContaining("name your account in the job"),
  });
  const { code, log } = await runInJob({ inputs: { project: slug, owner: ada.uid } });
  expect({ code, log }).toEqual({
    code: 0,
    log: expect.stringContaining(`${slug} is Ada Lovelace’s (uid ${ada.uid}).`),
  });
});

test("tar gets nothing with which it could ask for the job's identity", async () => {
  await trust();
  const seen = join(action.folder, "seen");
  writeFiles(action.folder, { "bin/tar": `#!/bin/sh\nenv >> '${seen}'\nPATH="\${PATH#*:}" exec tar "$@"\n` });
  chmodSync(join(action.folder, "bin/tar"), 0o755);
  const env = { PATH: `${join(action.folder, "bin")}:${process.env["PATH"]}`, GITHUB_TOKEN: "ghs_x" };
  expect((await runInJob({ env })).code).toBe(0);
  const environment = readFileSync(seen, "utf8");
  expect(environment).toContain("RUNNER_TEMP=");
  expect(environment).not.toMatch(/^(ACTIONS_|INPUT_|GITHUB_TOKEN|GITHUB_OUTPUT|SVC_TOKEN)/m);
});

test("a branch's pull request gets its preview in a comment, by identity", async () => {
  await trust({ events: ["pull_request"], ref_protected: false });
  const { code, masks, written } = await runInJob({
    claims: { event_name: "pull_request", ref: "refs/pull/7/merge", ref_protected: "false" },
    event: { pull_request: { number: 7, head: { repo: { id: 1 } } }, repository: { id: 1 } },
    inputs: { preview: "true", "github-token": "ghs_secret" },
    env: { GITHUB_API_URL: github.endpoint },
  });
  expect({ code, masks }).toEqual({ code: 0, masks: expect.arrayContaining(["ghs_secret"]) });
  const [, url = ""] = /^url=(.*)$/m.exec(written["GITHUB_OUTPUT"] ?? "") ?? [];
  expect(url).toMatch(/--[0-9a-f]{20}\./);
  expect(github.comments.map(({ body }) => body)).toEqual([
    expect.stringContaining(`[Play the preview of ${ada.slug}](${url})`),
  ]);
  expect(await liveRelease(ada, ada.slug)).toBeUndefined();
});

test.each([
  ["a fork", { repository: "eve/star-hopper", repository_id: "99", repository_owner_id: "98" }, "repository_id"],
  ["another branch", { ref: "refs/heads/other", ref_protected: "false" }, "ref_protected"],
])("a job of %s fails by an error that says what would trust it", async (_, claims, claim) => {
  await trust();
  const { code, log, written } = await runInJob({ claims });
  expect({ code, log }).toEqual({
    code: 4,
    log: expect.stringMatching(
      new RegExp(`^::error::.*the claim ${claim} does not match.*svc open publishers --project `, "m"),
    ),
  });
  expect(written["GITHUB_OUTPUT"]).toBe("");
  expect(await liveRelease(ada, ada.slug)).toBeUndefined();
});
