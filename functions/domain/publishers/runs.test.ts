import { describe, expect, test } from "@jest/globals";
import { limits } from "../../../contract/api/limits.ts";
import { githubClaims, gitlabClaims, newRepository } from "../../../test/support/identity/jobs.ts";
import type { Project } from "../../entities/project.ts";
import type { JobRun } from "../../entities/publisher.ts";
import type { Release } from "../../entities/release.ts";
import type { Token } from "../../entities/token.ts";
import { branchOf, publishingRun, runOf } from "./runs.ts";
import { isStillTrusted } from "./trust.ts";

/*
 * Run of a CI job: its record in the release that the job uploads, and the claims on which its token depends.
 */
type Changes = Readonly<Record<string, unknown>>;
const repository = newRepository();
const rest = { id: "1", expiresAt: 1 };
const githubIssuer = "https://token.actions.githubusercontent.com";
const githubRun = (changes: Changes = {}, issuer = githubIssuer) =>
  runOf({ ...rest, provider: "github", issuer, claims: githubClaims(repository, changes) });
const gitlabRun = (changes: Changes = {}, issuer = "https://gitlab.com") =>
  runOf({ ...rest, provider: "gitlab", issuer, claims: gitlabClaims(repository, issuer, changes) });

describe("the branch of a job", () => {
  const github = (changes: Changes, of = repository, issuer = githubIssuer) =>
    branchOf({ ...rest, provider: "github", issuer, claims: githubClaims(of, changes) });
  const gitlab = (changes: Changes) =>
    branchOf({
      ...rest,
      provider: "gitlab",
      issuer: "https://gitlab.com",
      claims: gitlabClaims(repository, "https://gitlab.com", changes),
    });
  const opened = { head_ref: "faster", ref: "refs/pull/12/merge" };

  test("of a pull request is the same after its merge, when the ref is another one, and for a push to it", () => {
    expect(github({ ...opened, ref: "refs/heads/main" })).toBe(github(opened));
    expect(github({ ref: "refs/heads/faster" })).toBe(github(opened));
  });

  test("is another one for another branch, repository, issuer or tag", () => {
    const names = [
      github(opened),
      github({ ...opened, head_ref: "slower" }),
      github(opened, newRepository()),
      github(opened, repository, "https://github.example"),
      github({ ref: "refs/tags/faster" }),
      gitlab({ ref_path: "refs/heads/faster" }),
      gitlab({ ref_path: "refs/tags/faster" }),
    ];
    expect(new Set(names).size).toBe(names.length);
  });
});

describe("the run of a job", () => {
  test.each([
    [githubIssuer, "https://github.com"],
    ["https://github.example/_services/token", "https://github.example"],
    ["https://token.actions.acme.ghe.com", "https://acme.ghe.com"],
    ["https://token.actions.acme.ghe.com.example", "https://token.actions.acme.ghe.com.example"],
  ])("of GitHub that %s has signed is at %s, and names the workflow's file by its whole path", (issuer, host) => {
    const { runUrl, workflow } = githubRun({}, issuer);
    expect(runUrl).toBe(`${host}/ada/star-hopper/actions/runs/22259804324`);
    expect(workflow).toBe(".github/workflows/publish.yml");
  });

  test("of GitLab is at its issuer, and names the pipeline's file by its whole path", () => {
    const changes = { ci_config_ref_uri: "gitlab.example/ada/star-hopper//ci/publish.yml@refs/heads/main" };
    expect(gitlabRun(changes, "https://gitlab.example")).toEqual({
      provider: "gitlab",
      repository: "ada/star-hopper",
      repositoryId: repository.id,
      commit: "8fe1b322a576d59fe6257052a4107df7dc1b8c78",
      ref: "refs/heads/main",
      workflow: "ci/publish.yml",
      actor: "ada",
      runUrl: "https://gitlab.example/ada/star-hopper/-/jobs/8222997048",
      runId: "1519139981",
    });
  });

  test("of GitLab names no file if the pipeline's is not said after the project", () => {
    expect(gitlabRun({ ci_config_ref_uri: "ci/publish.yml@refs/heads/main" }).workflow).toBe("");
  });

  test("has an empty text for a claim that is missing, and the beginning of one that is too long", () => {
    expect(githubRun({ actor: undefined }).actor).toBe("");
    expect(githubRun({ actor: "a".repeat(1_000) }).actor).toBe("a".repeat(limits.claimLength));
  });
});

describe("everybody may learn", () => {
  const published = (run: JobRun, provenance: JobRun | undefined = run) =>
    publishingRun({ job: { run } } as Token, { provenance } as Release);
  const commit = (sha: string) => published(githubRun({ sha }))?.commit;

  test("the run of a token that has uploaded the release, and no other", () => {
    const run = githubRun();
    expect(published(run)).toBe(run);
    expect(published(run, githubRun({ run_id: "1" }))).toBeUndefined();
    expect(publishingRun(undefined, { provenance: run } as Release)).toBeUndefined();
    expect(publishingRun({} as Token, {} as Release)).toBeUndefined();
  });

  test.each(["4".repeat(40), "f".repeat(64)])("the commit %s", (sha) => {
    expect(commit(sha)).toBe(sha);
  });

  test.each(["4".repeat(39), "4".repeat(41), "f".repeat(65), "G".repeat(40), `x${"4".repeat(40)}`])(
    "no commit like %s",
    (sha) => {
      expect(commit(sha)).toBeUndefined();
    },
  );

  test("a claim whose end is known, and every part of the run's URL", () => {
    expect(published(githubRun({ actor: "a".repeat(limits.claimLength - 1) }))).toBeDefined();
    expect(published(githubRun({ actor: "a".repeat(limits.claimLength) }))).toBeUndefined();
    expect(published(githubRun({ actor: "" }))).toBeUndefined();
    expect(published(githubRun({ run_id: "" }))).toBeUndefined();
  });
});

const project = { ownerKey: "ada", publishers: [{ id: "other" }, { id: "ci" }], publisherEpoch: 2 };
const job = { publisherId: "ci", publisherEpoch: 2 };
test.each<[string, object | undefined, boolean]>([
  ["has its publisher", project, true],
  ["lost it", { ...project, publishers: [{ id: "other" }] }, false],
  ["never had one", { ...project, publishers: undefined }, false],
  ["was handed over and came back", { ...project, publisherEpoch: 4 }, false],
  ["has another owner", { ...project, ownerKey: "grace" }, false],
  ["is deleted", { ...project, deletedAt: "2026-01-01T00:00:00.000Z" }, false],
  ["is suspended", { ...project, suspension: { at: "", reason: "spam" } }, false],
  ["is gone", undefined, false],
])("whether a job's token is accepted for a project that %s", (_, of, expected) => {
  expect(isStillTrusted({ accountKey: "ada", job } as unknown as Token, of as Project | undefined)).toBe(expected);
  expect(isStillTrusted({ accountKey: "ada" } as Token, of as Project | undefined)).toBe(true);
});

test("a project whose publishers never changed is as it was when the token was made", () => {
  const { publisherEpoch: _, ...unchanged } = project;
  const token = { accountKey: "ada", job: { ...job, publisherEpoch: 0 } } as unknown as Token;
  expect(isStillTrusted(token, unchanged as unknown as Project)).toBe(true);
});
