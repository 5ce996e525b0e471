import { beforeEach, expect, test } from "@jest/globals";
import { writeFiles } from "../../support/cli/cli.ts";
import { githubPublisher, newRepository, type Repository, startGithubJob } from "../../support/identity/jobs.ts";
import { useJobIssuers } from "../../support/service/jobs.ts";
import { publish } from "../../support/service/steps.ts";
import { useCliUser, useOwner, useRecordedService, useServers } from "../../support/service/suite.ts";

/*
 * Build, preview, approval, promotion: each command in a CI job of its own, none of which has a stored token.
 */
const service = useRecordedService();
const issuers = useJobIssuers();
const ada = useOwner(service);
const person = useCliUser({ isNew: true });
const keep = useServers();
let repository: Repository;

beforeEach(async () => {
  repository = newRepository();
  const publisher = githubPublisher(repository, issuers.github.issuer);
  expect((await ada.post(`/projects/${ada.slug}/publishers`, publisher)).status).toBe(200);
});

/** A command in a new job; the result of `--json`. */
async function inJob(...words: string[]) {
  const job = await keep(startGithubJob(issuers.github, repository));
  const env = { SVC_API: service.api, ...job.env };
  const { code, stdout, stderr } = await person.run([...words, "--project", ada.slug, "--json"], { env });
  for (const secret of job.secrets) expect(stdout + stderr).not.toContain(secret);
  return { code, stderr, result: resultOf(stdout) };
}

/** One JSON document, or of svc publish the last of several, each a line. */
function resultOf(stdout: string) {
  try {
    return JSON.parse(stdout);
  } catch {
    return JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
  }
}

const liveRelease = async () => (await ada.get(`/projects/${ada.slug}`)).body.current_release?.id ?? null;

/** The tokens of jobs that still work. */
async function workingTokens(): Promise<unknown[]> {
  const { body } = await ada.get("/me/export");
  const tokens = body.records.flatMap((record: { token?: { status: string } }) => record.token ?? []);
  return tokens.filter(({ status }: { status: string }) => status === "active");
}

test("a job previews, another lists and promotes, by its identity and with no token left", async () => {
  writeFiles(`${person.home}/game`, { "index.html": "<h1>previewed" });
  const previewed = await inJob("publish", `${person.home}/game`, "--owner", ada.uid, "--preview");
  expect({ code: previewed.code, event: previewed.result.event }).toEqual({ code: 0, event: "previewed" });
  const listed = await inJob("previews");
  expect(listed.result.previews).toMatchObject([{ release: { id: previewed.result.release } }]);
  expect(await liveRelease()).toBeNull();

  const promoted = await inJob("promote");
  expect(promoted).toMatchObject({ code: 0, result: { release: { id: previewed.result.release } } });
  expect(await liveRelease()).toBe(previewed.result.release);
  const releases = await inJob("releases");
  expect(releases.result.releases).toMatchObject([{ id: previewed.result.release, status: "live" }]);
  expect(await workingTokens()).toEqual([]);
});

test("a job does not roll back, by whichever command", async () => {
  writeFiles(`${person.home}/game`, { "index.html": "<h1>first" });
  const { release: first } = (await inJob("publish", `${person.home}/game`, "--owner", ada.uid)).result;
  const second = await publish(ada, ada.slug, { "index.html": "second" });
  const promoted = await inJob("promote", first);
  expect(promoted).toMatchObject({
    code: 4,
    result: { error: { code: "insufficient_scope", message: expect.stringContaining("a person decides") } },
  });
  const rolledBack = await inJob("rollback", first);
  expect(rolledBack).toMatchObject({ code: 4, result: { error: { code: "not_logged_in" } } });
  expect(await liveRelease()).toBe(second);
});
