import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { sourceOfJob, writeJobOutputs } from "./ci-job.ts";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-ci-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

test("a response of the API cannot add outputs, links or HTML", () => {
  const [output, summary] = [join(folder, "output"), join(folder, "summary")];
  const published = {
    slug: "game",
    release: "r1\npath=/evil",
    url: "https://game.test/)<img src=x>`[a](b)",
    isNew: true,
  };
  const environment = { GITHUB_ACTIONS: "true", GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary };
  expect(writeJobOutputs(environment, published)).toBeUndefined();
  expect(readFileSync(output, "utf8")).toBe("url=https://game.test/imgsrc=xab\nrelease=r1path=/evil\n");
  expect(readFileSync(summary, "utf8")).toBe(
    "[game](https://game.test/imgsrc=xab) is live as release `r1path=/evil`.\n",
  );
});

test("outside of GitHub Actions nothing is written", () => {
  const published = { slug: "game", release: "r1", url: "https://game.test/", isNew: true };
  expect(writeJobOutputs({ GITHUB_OUTPUT: "/" }, published)).toBeUndefined();
});

const github = { GITHUB_ACTIONS: "true", GITHUB_SERVER_URL: "https://git.example", GITHUB_REPOSITORY: "ada/game" };
const page = (length: number) => "https://git.example/".padEnd(length, "1");

test.each<[string, NodeJS.ProcessEnv, object | undefined]>([
  [
    "a GitHub job",
    { ...github, GITHUB_SHA: "0123456", GITHUB_RUN_ID: "7" },
    { commit: "0123456", run_url: "https://git.example/ada/game/actions/runs/7" },
  ],
  [
    "a GitLab job",
    { GITLAB_CI: "true", CI_COMMIT_SHA: "a".repeat(64), CI_JOB_URL: page(2_048) },
    { commit: "a".repeat(64), run_url: page(2_048) },
  ],
  [
    "a job whose page has a longer URL than the API takes",
    { GITLAB_CI: "true", CI_COMMIT_SHA: "0123456", CI_JOB_URL: page(2_049) },
    { commit: "0123456" },
  ],
  [
    "a job whose page's URL has a user",
    { GITLAB_CI: "true", CI_COMMIT_SHA: "0123456", CI_JOB_URL: "https://ada@git.example/" },
    { commit: "0123456" },
  ],
  ["a job with a commit that is too short", { GITLAB_CI: "true", CI_COMMIT_SHA: "012345" }, undefined],
  ["a job with a commit that is too long", { GITLAB_CI: "true", CI_COMMIT_SHA: "a".repeat(65) }, undefined],
  ["no job", { GITHUB_SHA: "0123456", CI_COMMIT_SHA: "0123456", GITHUB_ACTIONS: "false" }, undefined],
])("the source of a release from %s", (_, environment, source) => {
  expect(sourceOfJob(environment)).toEqual(source);
});
